"""A variance whose sums are not declared: of equal numbers the reference gives exactly 0, always."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(32,), edge=(1, 7))
m = Dim("m", typical=(64, 768), edge=(1, 33))


def deviations(x: torch.Tensor) -> torch.Tensor:
    mean = x.mean(-1, keepdim=True)
    return ((x - mean) ** 2).mean(-1, keepdim=True) + 0 * x


variance_of_equal_numbers = Operator(
    "variance_of_equal_numbers(Tensor x) -> Tensor",
    inputs={"x": Tensor(n, m)},
    dtypes=("float32",),
    reference=lambda x: x.var(-1, keepdim=True, unbiased=False) + 0 * x,
    function=deviations,
)
