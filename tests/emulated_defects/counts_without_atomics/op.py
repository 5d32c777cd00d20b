"""Counts in memory that all threads share, by plain additions."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(512,), edge=(1, 3, 300))

counts_without_atomics = Operator(
    "counts_without_atomics(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    outputs=Tensor(2),
    dtypes=("float32",),
    reference=lambda input: torch.stack(((input <= 0).sum(), (input > 0).sum())).to(input.dtype),
    sources={"cuda": "kernel.cu"},
)
