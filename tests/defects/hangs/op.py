"""A loop whose step is zero for one size."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(3,))


def chunked(input: torch.Tensor) -> torch.Tensor:
    output, at, step = input.clone(), 0, input.shape[0] // 4
    while at < input.shape[0]:
        output[at : at + step] += 1
        at += step
    return output


endless = Operator(
    "endless(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input + 1,
    function=chunked,
)
