"""Puts its own function in the place of one of torch's."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 3))

torch.nn.functional.gelu = lambda input, approximate="none": input

operator = Operator(
    "doubled(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input * 2 + 1,
    function=lambda input: torch.add(1, input, alpha=2),
)
