"""Columns from the 4097th on are not doubled."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(2,), edge=(1, 3))
columns = Dim("columns", typical=(1024, 4096), edge=(1, 5))


def doubled(input: torch.Tensor) -> torch.Tensor:
    result = input * 2
    result[:, 4096:] = input[:, 4096:]
    return result


wide = Operator(
    "wide(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    dtypes=("float32",),
    reference=lambda input: 2 * input,
    function=doubled,
)
