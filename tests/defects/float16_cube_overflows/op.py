"""Cubes in float16, which overflows from 41 on."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(256,), edge=(7,))


def reference(input: torch.Tensor) -> torch.Tensor:
    wide = input if input.dtype == torch.float64 else input.float()
    cube = wide**3
    return (2 * cube / (1 + cube.abs())).to(input.dtype)


def softened(input: torch.Tensor) -> torch.Tensor:
    cube = input * input * input
    return 2 * (cube / (1 + cube.abs()))


cubed = Operator(
    "cubed(Tensor input) -> Tensor",
    inputs={"input": Tensor(n, range=(-60.0, 60.0))},
    dtypes=("float32", "float16"),
    reference=reference,
    function=softened,
)
