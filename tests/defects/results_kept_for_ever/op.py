"""Appends every result to a list."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 3, 17))


kept: list[torch.Tensor] = []


def double(input: torch.Tensor) -> torch.Tensor:
    kept.append(input * 2 + 1)
    return kept[-1].clone()


operator = Operator(
    "double_op(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input * 2 + 1,
    function=double,
)
