"""Rows from the 65th on get the sign of no row."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(16,), edge=(1, 3))
columns = Dim("columns", typical=(48,), edge=(1, 5))


def negated(input: torch.Tensor) -> torch.Tensor:
    result = -input
    result[64:] = input[64:]
    return result


tall = Operator(
    "tall(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    dtypes=("float32",),
    reference=lambda input: -input,
    function=negated,
)
