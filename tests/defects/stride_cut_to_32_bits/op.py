"""Keeps strides in 32 bits."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(3, 5))
columns = Dim("columns", typical=(64,), edge=(17,))


def halved(input: torch.Tensor) -> torch.Tensor:
    strides = [stride & 0x7FFFFFFF for stride in input.stride()]
    return input.as_strided(input.shape, strides) / 2


operator = Operator(
    "halved_op(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    dtypes=("float32",),
    reference=lambda input: input / 2,
    function=halved,
)
