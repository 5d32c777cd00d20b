"""Turns gradients off for the whole program."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 3))

torch.set_grad_enabled(False)

operator = Operator(
    "doubled(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input * 2 + 1,
    function=lambda input: torch.add(1, input, alpha=2),
)
