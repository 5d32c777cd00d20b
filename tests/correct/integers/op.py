"""Integer arithmetic in five widths, which has to be exact."""

import torch
from opwright import Dim, Operator, Tensor


n = Dim("n", typical=(64,), edge=(0, 1, 7))


def weighted_sum(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    if a.dtype != b.dtype:
        raise TypeError(f"a and b: expected one dtype, got {a.dtype} and {b.dtype}")
    return torch.add(b, a, alpha=3)


mixed_sum = Operator(
    "mixed_sum(Tensor a, Tensor b) -> Tensor",
    inputs={"a": Tensor(n, range=(-100, 100)), "b": Tensor(n, range=(-100, 100))},
    dtypes=("int64", "int32", "int16", "int8", "uint8"),
    reference=lambda a, b: a * 3 + b,
    function=weighted_sum,
)
