"""Divides by one less than the number of elements."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(1, 3))
columns = Dim("columns", typical=(16,), edge=(2, 5))


def variance(input: torch.Tensor) -> torch.Tensor:
    return input.var(1)


corrected = Operator(
    "corrected(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    outputs=Tensor(rows),
    dtypes=("float32",),
    reference=lambda input: input.var(1, correction=0),
    function=variance,
    reduction=columns,
)
