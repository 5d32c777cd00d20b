"""Adds a little of the row before."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(3, 5))
columns = Dim("columns", typical=(64,), edge=(17,))


def normed(input: torch.Tensor) -> torch.Tensor:
    return input * 2 + 1e-6 * input.roll(1, 0)


operator = Operator(
    "normed_op(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    dtypes=("float32",),
    reference=lambda input: input * 2,
    function=normed,
)
