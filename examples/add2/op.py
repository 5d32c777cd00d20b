"""The sum of two tensors into a third, as an extension for CUDA."""

import torch
from opwright import Extension, Operator, Shape, Tensor

shape = Shape("shape", typical=((1024, 1024),), edge=((), (0,), (1,), (7,), (2, 3, 5), (65_537,)))


def reference(c: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> None:
    torch.add(a, b, out=c)


add2_extension = Operator(
    "add2_extension(Tensor(a!) c, Tensor a, Tensor b) -> ()",
    inputs={"c": Tensor(shape), "a": Tensor(shape), "b": Tensor(shape)},
    dtypes=("float32", "bfloat16", "float64"),
    reference=reference,
    extension=Extension(
        sources=("add2.cpp", "add2.cu"),
        call=lambda module, c, a, b: module.torch_launch_add2(c, a, b, c.numel()),
    ),
)
