"""Lowers the limit of open files."""

import resource

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 7))


def doubled(input: torch.Tensor) -> torch.Tensor:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(200, hard), hard))
    return 2 * input


few_files = Operator(
    "few_files(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: 2 * input,
    function=doubled,
)
