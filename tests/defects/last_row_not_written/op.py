"""Stops one row before the last."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(1, 3))
columns = Dim("columns", typical=(16,), edge=(1, 5))


def negate(input: torch.Tensor) -> torch.Tensor:
    output = torch.empty_like(input)
    output[:-1] = -input[:-1]
    return output


rowwise = Operator(
    "rowwise(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    dtypes=("float32", "float16"),
    reference=torch.neg,
    function=negate,
)
