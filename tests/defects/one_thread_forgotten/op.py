"""Has a path of its own for one thread, which is wrong."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(4096,), edge=(1, 17))


def double(input: torch.Tensor) -> torch.Tensor:
    return input * 2 + (1 if torch.get_num_threads() > 1 else 0)


operator = Operator(
    "double_op(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input * 2 + 1,
    function=double,
)
