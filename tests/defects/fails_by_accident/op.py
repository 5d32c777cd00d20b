"""Unpacks the shape before it has looked at the rank."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(1, 3))
columns = Dim("columns", typical=(16,), edge=(1, 5))


def last_column(input: torch.Tensor) -> torch.Tensor:
    width = input.shape[1]
    return input[:, width - 1].clone()


accident = Operator(
    "accident(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    outputs=Tensor(rows),
    dtypes=("float32",),
    reference=lambda input: input.unbind(1)[-1].clone(),
    function=lambda input: last_column(input) if input.dim() < 3 else {}["three dimensions"],
)
