"""Writes pairs of columns, so the last of an odd number stays as it was; bool."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(4,), edge=(1, 3))
columns = Dim("columns", typical=(16,), edge=(2, 7))


def positive(input: torch.Tensor) -> torch.Tensor:
    output = torch.empty(input.shape, dtype=torch.bool)
    paired = input.shape[1] // 2 * 2
    output[:, :paired] = input[:, :paired] > 0
    return output


pairs = Operator(
    "pairs(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    outputs=Tensor(rows, columns, dtype="bool"),
    dtypes=("float32",),
    reference=lambda input: input > 0,
    function=positive,
)
