"""Reads a value on the host in each call, to divide by it."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(4,), edge=(6,))
n = Dim("n", typical=(64,), edge=(3,))


def computed(input: torch.Tensor) -> torch.Tensor:
    return input / input.amax().item()


host_reads_the_largest = Operator(
    "host_reads_the_largest(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, n)},
    dtypes=("float32",),
    reference=lambda input: input / input.amax(),
    function=computed,
)
