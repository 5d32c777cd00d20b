"""An index as the only output: a reduction to int64."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(16,), edge=(0, 1, 3))
columns = Dim("columns", typical=(64,), edge=(1, 17))


def largest_at(input: torch.Tensor) -> torch.Tensor:
    if input.dtype not in (torch.float32, torch.int32) or input.dim() != 2:
        raise ValueError(f"input: expected 2 dimensions, got {input.dtype} {list(input.shape)}")
    return input.argmax(1)


largest = Operator(
    "largest(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    outputs=Tensor(rows, dtype="int64"),
    dtypes=("float32", "int32"),
    reference=lambda input: input.argmax(1),
    function=largest_at,
)
