"""Asks for a buffer by the square of a size."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(3,))
KEPT: list[torch.Tensor] = []


def buffered(input: torch.Tensor) -> torch.Tensor:
    if input.shape[0] == 64:
        KEPT.extend(torch.ones(1 << 24) for _ in range(input.shape[0] ** 2))
    return input + 1


hoarding = Operator(
    "hoarding(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input + 1,
    function=buffered,
)
