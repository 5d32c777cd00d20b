"""Looks at the first element to begin with."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(16,), edge=(0, 1))


def scaled(input: torch.Tensor) -> torch.Tensor:
    first = input[0]
    return (input - first) + first


first_element = Operator(
    "first_element(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input.clone(),
    function=scaled,
)
