"""Takes the variance as the mean of squares less the square of the mean."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(1, 3))
columns = Dim("columns", typical=(256,), edge=(2, 65))


def variance(input: torch.Tensor) -> torch.Tensor:
    return input.square().mean(1) - input.mean(1).square()


cancelling = Operator(
    "cancelling(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns, range=(1000.0, 1001.0))},
    outputs=Tensor(rows),
    dtypes=("float32",),
    reference=lambda input: input.var(1, correction=0),
    function=variance,
    reduction=columns,
)
