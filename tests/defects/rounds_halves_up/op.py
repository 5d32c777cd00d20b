"""Rounds halves up, and not to even."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 3))


def halved(input: torch.Tensor) -> torch.Tensor:
    return (input * 0.5 + 0.5).floor().to(torch.int8)


quantised = Operator(
    "quantised(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    outputs=Tensor(n, dtype="int8"),
    dtypes=("int32",),
    reference=lambda input: (input * 0.5).round().to(torch.int8),
    function=halved,
)
