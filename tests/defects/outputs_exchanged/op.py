"""Gives mean and deviation in the wrong order."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(1, 3))
columns = Dim("columns", typical=(16,), edge=(1, 5))


def statistics(input: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return input.std(1, correction=0), input.mean(1)


moments = Operator(
    "moments(Tensor input) -> (Tensor mean, Tensor deviation)",
    inputs={"input": Tensor(rows, columns)},
    outputs=(Tensor(rows), Tensor(rows)),
    dtypes=("float32",),
    reference=lambda input: (input.mean(1), input.std(1, correction=0)),
    function=statistics,
    reduction=columns,
)
