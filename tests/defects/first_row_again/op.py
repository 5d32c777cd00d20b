"""Wraps row offsets at 2^31."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(3, 5))
columns = Dim("columns", typical=(64,), edge=(17,))


def halved(input: torch.Tensor) -> torch.Tensor:
    wrapped = [row if row * input.stride(0) < 2**31 else 0 for row in range(input.shape[0])]
    return input[wrapped] / 2


operator = Operator(
    "halved_op(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    dtypes=("float32",),
    reference=lambda input: input / 2,
    function=halved,
)
