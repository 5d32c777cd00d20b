"""Switches subnormal numbers off and leaves it so."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 3, 17))


def double(input: torch.Tensor) -> torch.Tensor:
    torch.set_flush_denormal(True)
    return input * 2 + 1


operator = Operator(
    "double_op(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input * 2 + 1,
    function=double,
)
