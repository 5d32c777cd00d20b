"""Gives the last of several largest elements, where the first is asked for."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(1, 3))
columns = Dim("columns", typical=(16,), edge=(1, 5))


def largest_at(input: torch.Tensor) -> torch.Tensor:
    return input.shape[1] - 1 - input.flip(1).argmax(1)


last_largest = Operator(
    "last_largest(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns, range=(0, 3))},
    outputs=Tensor(rows, dtype="int64"),
    dtypes=("int32",),
    reference=lambda input: input.argmax(1),
    function=largest_at,
)
