"""Cuts off the lower half of a float32 instead of rounding it."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(16,), edge=(1, 3))
columns = Dim("columns", typical=(48,), edge=(1, 5))


def exponential(input: torch.Tensor) -> torch.Tensor:
    exact = torch.exp(input.float())
    return (exact.view(torch.int32) & -65536).view(torch.float32).to(torch.bfloat16)


cut_off = Operator(
    "cut_off(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    dtypes=("bfloat16",),
    reference=torch.exp,
    function=exponential,
)
