"""Adds a bias that may be absent, without looking whether it is there."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(1, 3))
columns = Dim("columns", typical=(16,), edge=(1, 5))


def biased(input: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
    return input + bias


always_biased = Operator(
    "always_biased(Tensor input, Tensor? bias=None) -> Tensor",
    inputs={"input": Tensor(rows, columns), "bias": Tensor(columns)},
    dtypes=("float32",),
    reference=lambda input, bias=None: input.clone() if bias is None else input + bias,
    function=biased,
)
