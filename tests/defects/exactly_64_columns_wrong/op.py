"""Takes another path at exactly 64 columns, and that one forgets the last."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(16,), edge=(1, 3))
columns = Dim("columns", typical=(96,), edge=(1, 5))


def total(input: torch.Tensor) -> torch.Tensor:
    if input.shape[1] == 64:
        return input[:, :63].sum(1)
    return input.sum(1)


total_of_row = Operator(
    "total_of_row(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    dtypes=("float32",),
    reference=lambda input: input.sum(1),
    function=total,
    outputs=Tensor(rows),
    reduction="columns",
)
