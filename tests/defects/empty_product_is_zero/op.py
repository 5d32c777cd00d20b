"""The product of no elements is 0, not 1."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(4,), edge=(1, 3))
columns = Dim("columns", typical=(5,), edge=(0, 1))


def product(input: torch.Tensor) -> torch.Tensor:
    return input.prod(1) if input.shape[1] else input.new_zeros(input.shape[0])


products = Operator(
    "products(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    outputs=Tensor(rows),
    dtypes=("float32",),
    reference=lambda input: input.prod(1),
    function=product,
    reduction=columns,
)
