"""A sum over everything before, along the last dimension."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(16,), edge=(0, 1, 3))
columns = Dim("columns", typical=(64,), edge=(1, 17))


def running(input: torch.Tensor) -> torch.Tensor:
    if input.dtype not in (torch.float32, torch.float64) or input.dim() != 2:
        raise ValueError(f"input: expected 2 dimensions, got {input.dtype} {list(input.shape)}")
    return input.cumsum(1)


running_total = Operator(
    "running_total(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    dtypes=("float32", "float64"),
    reference=lambda input: input.cumsum(1),
    function=running,
    reduction=columns,
)
