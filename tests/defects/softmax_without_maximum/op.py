"""Exponentials of scores as they are, which overflow for large ones."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(1, 3))
columns = Dim("columns", typical=(16,), edge=(1, 5))


def softmax(input: torch.Tensor) -> torch.Tensor:
    powers = input.exp()
    return powers / powers.sum(1, keepdim=True)


unshifted = Operator(
    "unshifted(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns, range=(-120.0, 120.0))},
    dtypes=("float32",),
    reference=lambda input: torch.softmax(input, 1),
    function=softmax,
    reduction=columns,
)
