"""Logic on bool tensors; C++."""

import torch
from opwright import Operator, Shape, Tensor

shape = Shape("shape", typical=((16, 24),), edge=((), (0,), (1,), (7,)))

exclusive_or = Operator(
    "exclusive_or(Tensor a, Tensor b) -> Tensor",
    inputs={"a": Tensor(shape, layout="copy"), "b": Tensor(shape, layout="copy")},
    dtypes=("bool",),
    reference=torch.logical_xor,
    sources={"cpu": "exclusive_or.cpp"},
)
