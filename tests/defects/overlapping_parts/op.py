"""Gives each thread one row too many, and adds into the output."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(4096,), edge=(1, 17))


def double(input: torch.Tensor) -> torch.Tensor:
    result = torch.ones_like(input)
    part = -(-input.shape[0] // torch.get_num_threads())
    for first in range(0, input.shape[0], part):
        mine = slice(first, first + part + 1)
        result[mine] += input[mine] * 2
    return result


operator = Operator(
    "double_op(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input * 2 + 1,
    function=double,
)
