"""Works on columns, and returns the transposed view."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(16,), edge=(1, 3))
columns = Dim("columns", typical=(48,), edge=(1, 5))


def doubled(input: torch.Tensor) -> torch.Tensor:
    return (2 * input.t()).contiguous().t()


column_by_column = Operator(
    "column_by_column(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    dtypes=("float32",),
    reference=lambda input: 2 * input,
    function=doubled,
)
