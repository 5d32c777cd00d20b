"""The gradient of swish, x * sigmoid(x), with respect to x, times the gradient that comes in."""

import torch
from opwright import Operator, Shape, Tensor

shape = Shape(
    "shape",
    typical=((1024, 768), (4096, 1024)),
    edge=((), (0,), (1,), (7,), (3, 0, 2), (2, 3, 5), (65_537,)),
)

swish_backward = Operator(
    "swish_backward(Tensor grad, Tensor input) -> Tensor grad_input",
    inputs={"grad": Tensor(shape, layout="copy"), "input": Tensor(shape, layout="copy")},
    dtypes=("float32", "bfloat16", "float16", "float64"),
    reference=torch.ops.aten.silu_backward,
    sources={"cpu": "swish_backward.cpp", "cuda": "swish_backward.cu", "hip": "swish_backward.cu"},
)
