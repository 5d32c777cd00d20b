"""Scales its input in place on the way."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(16,), edge=(1, 3))


def softened(input: torch.Tensor) -> torch.Tensor:
    return input.mul_(0.5).sigmoid()


careless = Operator(
    "careless(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32", "bfloat16"),
    reference=lambda input: (input * 0.5).sigmoid(),
    function=softened,
)
