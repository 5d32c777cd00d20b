"""Brings a factor from the host in each call."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(4,), edge=(6,))
n = Dim("n", typical=(64,), edge=(3,))


def computed(input: torch.Tensor) -> torch.Tensor:
    return input * torch.tensor([2.0]).to(input.device)


factor_from_the_host = Operator(
    "factor_from_the_host(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, n)},
    dtypes=("float32",),
    reference=lambda input: input * 2,
    function=computed,
)
