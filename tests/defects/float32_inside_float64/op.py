"""A float64 kernel that goes through float32 on the way."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 3))


def root(input: torch.Tensor) -> torch.Tensor:
    return input.float().sqrt().to(input.dtype)


narrow_inside = Operator(
    "narrow_inside(Tensor input) -> Tensor",
    inputs={"input": Tensor(n, range=(0.0, 4.0))},
    dtypes=("float32", "float64"),
    reference=torch.sqrt,
    function=root,
)
