"""Adds int32 up in int32, where the sum needs 64 bits."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(1, 3))
columns = Dim("columns", typical=(16,), edge=(1, 5))


def row_sum(input: torch.Tensor) -> torch.Tensor:
    return input.sum(1, dtype=torch.int32).to(torch.int64)


wrapped = Operator(
    "wrapped(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns, range=(2**29, 2**31 - 1))},
    outputs=Tensor(rows, dtype="int64"),
    dtypes=("int32",),
    reference=lambda input: input.sum(1),
    function=row_sum,
    reduction=columns,
)
