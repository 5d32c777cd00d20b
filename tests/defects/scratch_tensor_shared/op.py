"""Keeps a scratch tensor in a module's variable."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 3, 17))


scratch: dict[tuple[int, ...], torch.Tensor] = {}


def double(input: torch.Tensor) -> torch.Tensor:
    held = scratch.setdefault(tuple(input.shape), torch.empty_like(input))
    held.copy_(input)
    held.mul_(2)
    return held + 1


operator = Operator(
    "double_op(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input * 2 + 1,
    function=double,
)
