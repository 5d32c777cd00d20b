"""Keeps a line of text for every call."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 3, 17))


log: list[str] = []


def double(input: torch.Tensor) -> torch.Tensor:
    log.append(f"call {len(log)} with {tuple(input.shape)}")
    return input * 2 + 1


operator = Operator(
    "double_op(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input * 2 + 1,
    function=double,
)
