"""Promises to copy what is not dense, and refuses it."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(1, 3))
columns = Dim("columns", typical=(16,), edge=(1, 5))


def dense_only(input: torch.Tensor) -> torch.Tensor:
    if not input.is_contiguous():
        raise ValueError("input has to be contiguous")
    return input + 1


stubborn = Operator(
    "stubborn(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns, layout="copy")},
    dtypes=("float32",),
    reference=lambda input: input + 1,
    function=dense_only,
)
