"""Changes the current folder to look for its tables."""

import os

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 7))


def doubled(input: torch.Tensor) -> torch.Tensor:
    os.chdir("/")
    return 2 * input


at_the_root = Operator(
    "at_the_root(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: 2 * input,
    function=doubled,
)
