"""Writes into its argument and returns it, beside a fresh output; C++."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(0, 1, 7))


def reference(target: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    negative = target < 0
    return target.clamp_(min=0), negative


relu = Operator(
    "relu_with_mask(Tensor(a!) target) -> (Tensor(a!), Tensor mask)",
    inputs={"target": Tensor(n)},
    outputs=Tensor(n, dtype="bool"),
    dtypes=("float32",),
    reference=reference,
    sources={"cpu": "relu.cpp"},
)
