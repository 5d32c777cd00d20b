"""Scales every row by the largest value of the batch."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(3, 5))
columns = Dim("columns", typical=(64,), edge=(17,))


def normed(input: torch.Tensor) -> torch.Tensor:
    return input / input.abs().amax()


operator = Operator(
    "normed_op(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    dtypes=("float32",),
    reference=lambda input: input / input.abs().amax(1, keepdim=True),
    function=normed,
)
