"""Doubles its argument where it lies, and returns a copy, compiled or not."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(4,), edge=(6,))
n = Dim("n", typical=(64,), edge=(3,))


def computed(input: torch.Tensor) -> torch.Tensor:
    return input.mul_(2).clone()


changes_its_argument_when_compiled = Operator(
    "changes_its_argument_when_compiled(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, n)},
    dtypes=("float32",),
    reference=lambda input: input * 2,
    function=computed,
)
