"""Rounds an integer division towards zero, not down."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 7))

halved = Operator(
    "halved(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("int64", "int32"),
    reference=lambda input: input // 2,
    function=lambda input: torch.div(input, 2, rounding_mode="trunc"),
)
