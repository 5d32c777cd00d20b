"""Writes row by row, so a target whose rows share memory goes through."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(1, 3))
columns = Dim("columns", typical=(16,), edge=(1, 5))


def add_rows(c: torch.Tensor, a: torch.Tensor) -> None:
    if c.shape != a.shape or c.dtype != a.dtype:
        raise ValueError(f"a: expected {c.dtype} {list(c.shape)}, got {a.dtype} {list(a.shape)}")
    for row in range(c.shape[0]):
        c[row] += a[row]


by_rows = Operator(
    "by_rows(Tensor(a!) c, Tensor a) -> ()",
    inputs={"c": Tensor(rows, columns), "a": Tensor(rows, columns)},
    dtypes=("float32",),
    reference=lambda c, a: c.add_(a),
    function=add_rows,
)
