"""A softmax that clamps what it is given to -5 to 5."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(16,), edge=(1, 3))
columns = Dim("columns", typical=(48,), edge=(1, 5))


def clamped(input: torch.Tensor) -> torch.Tensor:
    return torch.softmax(input.clamp(-5, 5), 1)


likely = Operator(
    "likely(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    dtypes=("float32",),
    reference=lambda input: torch.softmax(input, 1),
    function=clamped,
    reduction="columns",
)
