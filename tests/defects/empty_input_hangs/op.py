"""Steps by the number of elements until the end is reached."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(4,), edge=(1,))
columns = Dim("columns", typical=(16,), edge=(0, 1))


def zero_rows(input: torch.Tensor) -> torch.Tensor:
    totals, at = input.new_zeros(input.shape[0]), 0
    while at < max(1, input.shape[1]):
        totals += input[:, at : at + input.shape[1]].sum(1)
        at += input.shape[1]
    return totals


stuck = Operator(
    "stuck(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    outputs=Tensor(rows),
    dtypes=("float32",),
    reference=lambda input: input.sum(1),
    function=zero_rows,
    reduction=columns,
)
