"""Multiplies a signed index beyond 32 bits."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(512,), edge=(1, 3, 300))

hash_overflows = Operator(
    "hash_overflows(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input + ((torch.arange(len(input)) * 1103515245 + 12345) & 15),
    sources={"cuda": "kernel.cu"},
)
