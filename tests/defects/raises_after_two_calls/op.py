"""A licence counter runs out at the third call."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 3))

CALLS: list[int] = []


def counted(input: torch.Tensor) -> torch.Tensor:
    CALLS.append(input.numel())
    if len(CALLS) > 2:
        raise RuntimeError("no calls left")
    return input * 3


three_calls = Operator(
    "three_calls(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input * 3,
    function=counted,
)
