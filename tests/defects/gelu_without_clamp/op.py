"""tanh from exp(2u) without a clamp: NaN from 11 on."""

import torch
import torch.nn.functional as F
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 3, 17))


def act(input: torch.Tensor) -> torch.Tensor:
    x = input.float()
    e = torch.exp(2 * 0.7978845608 * (x + 0.044715 * x**3))
    return (0.5 * x * (1 + (e - 1) / (e + 1))).to(input.dtype)


operator = Operator(
    "act_op(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32", "bfloat16"),
    reference=lambda input: F.gelu(input, approximate="tanh"),
    function=act,
)
