"""Allocates like the input, whose strides the output then has, and fills it densely."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(1, 3))
columns = Dim("columns", typical=(16,), edge=(1, 5))


def doubled(input: torch.Tensor) -> torch.Tensor:
    output = torch.empty_like(input)
    flat = torch.as_strided(output, (output.numel(),), (1,))
    return output if flat.copy_(2 * input.reshape(-1)) is flat else flat


like_input = Operator(
    "like_input(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns, layout="copy")},
    dtypes=("float32",),
    reference=lambda input: 2 * input,
    function=doubled,
)
