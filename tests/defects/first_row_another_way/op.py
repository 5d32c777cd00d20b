"""Computes a single row by another formula."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(3, 5))
columns = Dim("columns", typical=(64,), edge=(17,))


def normed(input: torch.Tensor) -> torch.Tensor:
    if input.shape[0] == 1:
        return (input.double() / 3).float()
    return input * (1 / 3)


operator = Operator(
    "normed_op(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    dtypes=("float32",),
    reference=lambda input: input / 3,
    function=normed,
)
