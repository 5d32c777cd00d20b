"""Clamps to the largest finite number."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 3, 17))


def act(input: torch.Tensor) -> torch.Tensor:
    largest = torch.finfo(input.dtype).max
    return (input * 2).clamp(-largest, largest)


operator = Operator(
    "act_op(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32", "bfloat16"),
    reference=lambda input: input * 2,
    function=act,
)
