"""Adds a row up in as many parts as there are rows."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(3, 5))
columns = Dim("columns", typical=(64,), edge=(17,))


def normed(input: torch.Tensor) -> torch.Tensor:
    parts = input.chunk(input.shape[0], dim=1)
    total = torch.zeros(input.shape[0])
    for part in parts:
        for column in part.unbind(1):
            total = total + column
        total = total * 1.0000001
    return total[:, None] + input * 0


operator = Operator(
    "normed_op(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    dtypes=("float32",),
    reference=lambda input: input.cumsum(1)[:, -1:] + input * 0,
    function=normed,
    reduction=columns,
)
