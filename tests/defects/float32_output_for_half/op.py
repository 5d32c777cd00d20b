"""Computes in float32 and forgets to return the input's dtype."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 7))

wide = Operator(
    "wide(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32", "bfloat16"),
    reference=torch.sigmoid,
    function=lambda input: torch.sigmoid(input.float()),
)
