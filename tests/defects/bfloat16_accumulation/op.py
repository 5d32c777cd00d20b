"""Sums a row in bfloat16 instead of float32."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(16,), edge=(1, 3))
columns = Dim("columns", typical=(256,), edge=(1, 65))


def row_sum(input: torch.Tensor) -> torch.Tensor:
    total = torch.zeros(input.shape[0], dtype=input.dtype)
    for column in range(input.shape[1]):
        total += input[:, column]
    return total


summed = Operator(
    "summed(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    outputs=Tensor(rows),
    dtypes=("float32", "bfloat16"),
    reference=lambda input: input.sum(1),
    function=row_sum,
    reduction=columns,
)
