"""Fills a cache that other threads clear meanwhile."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 3, 17))


cache: dict[str, torch.Tensor] = {}


def double(input: torch.Tensor) -> torch.Tensor:
    cache["doubled"] = input * 2
    torch.empty(4096).fill_(0)
    result = cache["doubled"] + 1
    cache.pop("doubled", None)
    return result


operator = Operator(
    "double_op(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input * 2 + 1,
    function=double,
)
