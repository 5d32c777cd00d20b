"""An assertion that says nothing."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(1, 3))
columns = Dim("columns", typical=(16,), edge=(1, 5))


def scale(input: torch.Tensor) -> torch.Tensor:
    assert input.dim() == 2
    return input * 2


silent = Operator(
    "silent(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    dtypes=("float32",),
    reference=lambda input: input * 2,
    function=scale,
)
