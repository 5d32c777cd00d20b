"""Remembers every call that it refused."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 3, 17))


refused: list[str] = []


def double(input: torch.Tensor) -> torch.Tensor:
    if input.dtype != torch.float32:
        refused.append(f"input: expected float32, got {input.dtype}, the {len(refused)}th time")
        raise ValueError(refused[-1])
    return input * 2 + 1


operator = Operator(
    "double_op(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input * 2 + 1,
    function=double,
)
