"""Swish, x * sigmoid(x), for tensors of any shape."""

import torch
from opwright import Operator, Shape, Tensor

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
)
