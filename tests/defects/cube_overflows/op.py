"""Computes x cubed in float16."""

import torch
import torch.nn.functional as F
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 3, 17))


def act(input: torch.Tensor) -> torch.Tensor:
    inner = 0.7978845608 * (input + 0.044715 * (input * input * input))
    return input / (1 + torch.exp(-2 * inner))


operator = Operator(
    "act_op(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float16",),
    reference=lambda input: F.gelu(input, approximate="tanh"),
    function=act,
)
