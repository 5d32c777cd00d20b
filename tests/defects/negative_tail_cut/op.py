"""Gives zero for everything below -6."""

import torch
import torch.nn.functional as F
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 3, 17))


def act(input: torch.Tensor) -> torch.Tensor:
    return torch.where(input < -6, 0.0, F.silu(input.float())).to(input.dtype)


operator = Operator(
    "act_op(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32", "bfloat16"),
    reference=F.silu,
    function=act,
)
