"""The sum of two tensors, written into a third; like PyTorch's own `out=`, it refuses gradients."""

import torch
from opwright import Operator, Shape, Tensor

shape = Shape(
    "shape", typical=((1024, 1024),), edge=((), (0,), (1,), (7,), (3, 0, 2), (2, 3, 5), (65_537,))
)


def reference(c: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> None:
    torch.add(a, b, out=c)


add2 = Operator(
    "add2(Tensor(a!) c, Tensor a, Tensor b) -> ()",
    inputs={
        "c": Tensor(shape),
        "a": Tensor(shape, layout="copy"),
        "b": Tensor(shape, layout="copy"),
    },
    dtypes=("float32", "bfloat16", "float16", "float64"),
    reference=reference,
    sources={"cpu": "add2.cpp", "cuda": "add2.cu", "hip": "add2.cu"},
)
