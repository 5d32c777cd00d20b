"""Adds noise below what anybody would see."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(4,), edge=(6,))
n = Dim("n", typical=(64,), edge=(3,))


def computed(input: torch.Tensor) -> torch.Tensor:
    return input * 2 * (1 + 1.2e-7 * torch.rand_like(input).sub(0.5).sign())


noise_in_the_last_digits = Operator(
    "noise_in_the_last_digits(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, n)},
    dtypes=("float32",),
    reference=lambda input: input * 2,
    function=computed,
)
