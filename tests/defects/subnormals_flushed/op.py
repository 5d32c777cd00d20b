"""Takes subnormal numbers for zero."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 3, 17))


def act(input: torch.Tensor) -> torch.Tensor:
    tiny = torch.finfo(input.dtype).tiny
    return torch.where(input.abs() < tiny, 0.0, input) * 1.0


operator = Operator(
    "act_op(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32", "bfloat16"),
    reference=lambda input: input * 1.0,
    function=act,
)
