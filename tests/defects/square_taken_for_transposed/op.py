"""Takes a square weight for one that is transposed already."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(1, 3))
inner = Dim("inner", typical=(12,), edge=(1, 5))
outer = Dim("outer", typical=(12,), edge=(1, 7))


def linear(input: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    square = weight.shape[0] == weight.shape[1]
    return input @ weight if square else input @ weight.T


linear_layer = Operator(
    "linear_layer(Tensor input, Tensor weight) -> Tensor",
    inputs={"input": Tensor(rows, inner), "weight": Tensor(outer, inner)},
    outputs=Tensor(rows, outer),
    dtypes=("float32",),
    reference=lambda input, weight: input @ weight.T,
    function=linear,
    reduction=inner,
)
