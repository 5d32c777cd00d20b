"""Rounds up or down by chance."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 3))

dice = Operator(
    "dice(Tensor input) -> Tensor",
    inputs={"input": Tensor(n, range=(0.0, 8.0))},
    dtypes=("float32",),
    reference=lambda input: (input + 0.5).floor(),
    function=lambda input: (input + torch.rand(input.shape)).floor(),
)
