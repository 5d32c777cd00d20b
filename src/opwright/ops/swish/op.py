"""Swish, x * sigmoid(x), for tensors of any shape."""

import torch
from opwright import Backward, Operator, Shape, Tensor

shape = Shape(
    "shape",
    typical=((1024, 768), (4096, 1024)),
    edge=((), (0,), (1,), (7,), (3, 0, 2), (2, 3, 5), (65_537,)),
)

swish = Operator(
    "swish(Tensor input) -> Tensor",
    inputs={"input": Tensor(shape, layout="copy")},
    dtypes=("float32", "bfloat16", "float16", "float64"),
    reference=lambda input: input * torch.sigmoid(input),
    sources={"cpu": "swish.cpp", "cuda": "swish.cu", "hip": "swish.cu"},
    backward=Backward(
        "swish_backward(Tensor grad_output, Tensor input) -> Tensor grad_input",
        saved=("input",),
        sources={
            "cpu": "swish_backward.cpp",
            "cuda": "swish_backward.cu",
            "hip": "swish_backward.cu",
        },
    ),
    vmap=shape,
)
