"""Adds partial sums in bfloat16 when there is more than one."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(4096,), edge=(1, 17))


def total(input: torch.Tensor) -> torch.Tensor:
    parts = [part.sum() for part in input.chunk(torch.get_num_threads())]
    if len(parts) == 1:
        return parts[0].reshape(1)
    return torch.stack(parts).bfloat16().sum().float().reshape(1)


operator = Operator(
    "total_op(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input.sum().reshape(1),
    function=total,
    outputs=Tensor(1),
    reduction=n,
)
