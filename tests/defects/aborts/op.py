"""Ends the process on an assertion of its own."""

import os

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(3,))


def strict(input: torch.Tensor) -> torch.Tensor:
    if input.shape[0] % 2:
        os.abort()
    return input + 1


aborting = Operator(
    "aborting(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input + 1,
    function=strict,
)
