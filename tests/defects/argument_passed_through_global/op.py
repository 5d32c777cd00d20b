"""Hands an argument to its inner function in a global variable."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 3, 17))


current: dict[str, torch.Tensor] = {}


def inner() -> torch.Tensor:
    return current["input"] * 2 + 1


def double(input: torch.Tensor) -> torch.Tensor:
    current["input"] = input
    torch.empty(4096).fill_(0)
    return inner()


operator = Operator(
    "double_op(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input * 2 + 1,
    function=double,
)
