"""Divides the work by the number of threads and forgets the rest."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(4096,), edge=(1, 17))


def double(input: torch.Tensor) -> torch.Tensor:
    result = torch.zeros_like(input)
    part = input.shape[0] // torch.get_num_threads()
    for number in range(torch.get_num_threads()):
        mine = slice(number * part, (number + 1) * part)
        result[mine] = input[mine] * 2 + 1
    return result


operator = Operator(
    "double_op(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input * 2 + 1,
    function=double,
)
