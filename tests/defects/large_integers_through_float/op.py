"""Integers go through float32, which holds them up to 2^24 only."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 3))


def plus_one(input: torch.Tensor) -> torch.Tensor:
    return (input.float() + 1).to(input.dtype)


rounded_integers = Operator(
    "rounded_integers(Tensor input) -> Tensor",
    inputs={"input": Tensor(n, range=(-(2**30), 2**30))},
    dtypes=("int64",),
    reference=lambda input: input + 1,
    function=plus_one,
)
