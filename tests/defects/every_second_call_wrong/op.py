"""Two buffers take turns, and one of them is never filled."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(16,), edge=(1, 3))
CALLS = [0]


def tripled(input: torch.Tensor) -> torch.Tensor:
    CALLS[0] += 1
    return 3 * input if CALLS[0] % 3 else torch.zeros_like(input)


turns = Operator(
    "turns(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: 3 * input,
    function=tripled,
)
