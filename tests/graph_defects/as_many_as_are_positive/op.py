"""Gives as many elements as are positive: a size that follows from values."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(4,), edge=(6,))
n = Dim("n", typical=(64,), edge=(3,))


def computed(input: torch.Tensor) -> torch.Tensor:
    return input[input > 0]


as_many_as_are_positive = Operator(
    "as_many_as_are_positive(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, n)},
    dtypes=("float32",),
    reference=lambda input: input[input > 0],
    function=computed,
)
