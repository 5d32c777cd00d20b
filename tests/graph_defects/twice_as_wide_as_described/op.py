"""Computes in float64, and forgets to go back."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(4,), edge=(6,))
n = Dim("n", typical=(64,), edge=(3,))


def computed(input: torch.Tensor) -> torch.Tensor:
    return input.double() * 2


twice_as_wide_as_described = Operator(
    "twice_as_wide_as_described(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, n)},
    dtypes=("float32",),
    reference=lambda input: input.double() * 2,
    function=computed,
)
