"""Puts elements in the order in which threads come."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(512,), edge=(1, 3, 300))

order_of_arrival = Operator(
    "order_of_arrival(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: torch.cat(
        (input[input > 0], torch.zeros(int((input <= 0).sum()), dtype=input.dtype))
    ),
    sources={"cuda": "kernel.cu"},
)
