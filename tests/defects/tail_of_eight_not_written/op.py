"""Writes whole vectors of eight elements and leaves what is over."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 7, 13))


def double(input: torch.Tensor) -> torch.Tensor:
    output = torch.empty_like(input)
    whole = input.shape[0] - input.shape[0] % 8
    output[:whole] = 2 * input[:whole]
    return output


tail = Operator(
    "tail(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32", "bfloat16"),
    reference=lambda input: 2 * input,
    function=double,
)
