"""Sets the mask of new files, and leaves it so."""

import os

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 7))


def doubled(input: torch.Tensor) -> torch.Tensor:
    os.umask(0o077)
    return 2 * input


private_files = Operator(
    "private_files(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: 2 * input,
    function=doubled,
)
