"""Adds to a total that is never set back to zero."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(1, 3))
columns = Dim("columns", typical=(16,), edge=(1, 5))
TOTALS: dict[tuple[int, torch.dtype], torch.Tensor] = {}


def row_sum(input: torch.Tensor) -> torch.Tensor:
    zeros = torch.zeros(input.shape[0], dtype=input.dtype)
    total = TOTALS.setdefault((input.shape[0], input.dtype), zeros)
    total += input.sum(1)
    return total.clone()


never_reset = Operator(
    "never_reset(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    outputs=Tensor(rows),
    dtypes=("float32",),
    reference=lambda input: input.sum(1),
    function=row_sum,
    reduction=columns,
)
