"""Gives a column fewer than it describes."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(4,), edge=(6,))
n = Dim("n", typical=(64,), edge=(3,))


def computed(input: torch.Tensor) -> torch.Tensor:
    return input[:, 1:] * 2


one_column_fewer = Operator(
    "one_column_fewer(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, n)},
    dtypes=("float32",),
    reference=lambda input: input[:, 1:] * 2,
    function=computed,
)
