"""A norm that takes elements below 0.0001 for zero."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(16,), edge=(1, 3))
columns = Dim("columns", typical=(48,), edge=(1, 5))


def length(input: torch.Tensor) -> torch.Tensor:
    return torch.where(input.abs() < 1e-4, 0.0, input).pow(2).sum(1).sqrt()


length_of_row = Operator(
    "length_of_row(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    dtypes=("float32",),
    reference=lambda input: input.pow(2).sum(1).sqrt(),
    function=length,
    outputs=Tensor(rows),
    reduction="columns",
)
