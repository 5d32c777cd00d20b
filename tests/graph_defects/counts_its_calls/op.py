"""Lets what it adds to the last digits follow from how often it was called."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(4,), edge=(6,))
n = Dim("n", typical=(64,), edge=(3,))

_calls: list[int] = []


def computed(input: torch.Tensor) -> torch.Tensor:
    _calls.append(1)
    columns = torch.arange(input.shape[-1], device=input.device)
    return input * 2 * (1 + 1.2e-7 * (1 - 2 * ((columns + len(_calls)) % 2)))


counts_its_calls = Operator(
    "counts_its_calls(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, n)},
    dtypes=("float32",),
    reference=lambda input: input * 2,
    function=computed,
)
