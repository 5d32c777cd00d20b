"""Wants memory aligned to 32 bytes, which a contiguous tensor need not be."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(32,), edge=(1, 3))


def aligned(input: torch.Tensor) -> torch.Tensor:
    if input.data_ptr() % 32:
        raise ValueError("input has to be aligned to 32 bytes")
    return input + 1


picky = Operator(
    "picky(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input + 1,
    function=aligned,
)
