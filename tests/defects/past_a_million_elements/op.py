"""Past 2^20 elements in all, the rest is left as it was."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8, 64), edge=(1, 3))
columns = Dim("columns", typical=(512, 1024), edge=(1, 5))


def tripled(input: torch.Tensor) -> torch.Tensor:
    result = input * 3
    result.view(-1)[1 << 20 :] = 1.0
    return result


long_one = Operator(
    "long_one(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    dtypes=("float32",),
    reference=lambda input: 3 * input,
    function=tripled,
)
