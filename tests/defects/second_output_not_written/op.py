"""Of two outputs only the first is written wholly."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(6,), edge=(1, 3))
columns = Dim("columns", typical=(16,), edge=(2, 5))


def split(input: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    largest = input.amax(1)
    place = torch.empty(input.shape[0], dtype=torch.int64)
    place[::2] = input.argmax(1)[::2]
    return largest, place


both = Operator(
    "both(Tensor input) -> (Tensor largest, Tensor place)",
    inputs={"input": Tensor(rows, columns)},
    outputs=(Tensor(rows, dtype="like:input"), Tensor(rows, dtype="int64")),
    dtypes=("float32",),
    reference=lambda input: (input.amax(1), input.argmax(1)),
    function=split,
)
