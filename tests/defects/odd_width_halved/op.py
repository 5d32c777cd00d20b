"""Halves widths that its description wants even, and drops the middle column."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(4,), edge=(1, 3))
columns = Dim("columns", typical=(16,), edge=(2, 6))


def folded(input: torch.Tensor) -> torch.Tensor:
    half = input.shape[1] // 2
    return input[:, :half] + input[:, -half:]


halves = Operator(
    "halves(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    outputs=Tensor(rows, columns // 2),
    constraints=("columns % 2 == 0",),
    dtypes=("float32",),
    reference=lambda input: torch.add(*input.split(input.shape[1] // 2, 1)),
    function=folded,
)
