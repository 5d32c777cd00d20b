"""Has room for the partial sums of four threads only."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(4096,), edge=(1, 17))


def total(input: torch.Tensor) -> torch.Tensor:
    parts = [part.sum() for part in input.chunk(torch.get_num_threads())]
    return torch.stack(parts[:4]).sum().reshape(1)


operator = Operator(
    "total_op(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input.sum().reshape(1),
    function=total,
    outputs=Tensor(1),
    reduction=n,
)
