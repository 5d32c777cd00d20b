"""Caches by the address of its argument."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 3, 17))


seen: dict[tuple[int, int], tuple[int, ...]] = {}


def double(input: torch.Tensor) -> torch.Tensor:
    result = input * 2 + 1
    seen[len(seen), id(result)] = tuple(input.shape)
    return result


operator = Operator(
    "double_op(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input * 2 + 1,
    function=double,
)
