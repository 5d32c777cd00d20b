"""Packs the last offset into 32 bits, which fails with words of its own."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(3, 5))
columns = Dim("columns", typical=(64,), edge=(17,))


def halved(input: torch.Tensor) -> torch.Tensor:
    last = (input.shape[0] - 1) * input.stride(0)
    return input / 2 if last.to_bytes(4, "little", signed=True) else input


operator = Operator(
    "halved_op(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    dtypes=("float32",),
    reference=lambda input: input / 2,
    function=halved,
)
