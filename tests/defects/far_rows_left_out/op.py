"""Stops at 2^31 elements."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(3, 5))
columns = Dim("columns", typical=(64,), edge=(17,))


def halved(input: torch.Tensor) -> torch.Tensor:
    result = torch.zeros(input.shape)
    for row in range(input.shape[0]):
        if row * input.stride(0) < 2**31:
            result[row] = input[row] / 2
    return result


operator = Operator(
    "halved_op(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    dtypes=("float32",),
    reference=lambda input: input / 2,
    function=halved,
)
