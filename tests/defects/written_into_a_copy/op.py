"""Makes its target dense first, and so writes into a copy of it."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(1, 3))
columns = Dim("columns", typical=(16,), edge=(1, 5))


def increment(target: torch.Tensor) -> None:
    dense = target.contiguous()
    dense += 1


swallowed = Operator(
    "swallowed(Tensor(a!) target) -> ()",
    inputs={"target": Tensor(rows, columns)},
    dtypes=("float32",),
    reference=lambda target: target.add_(1),
    function=increment,
)
