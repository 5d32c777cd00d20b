"""Reads from the beginning of the storage, wherever the tensor starts."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(1, 3))
columns = Dim("columns", typical=(16,), edge=(1, 5))


def copied(input: torch.Tensor) -> torch.Tensor:
    return torch.as_strided(input, input.shape, input.stride(), storage_offset=0) + 1


from_the_start = Operator(
    "from_the_start(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    dtypes=("float32",),
    reference=lambda input: input + 1,
    function=copied,
)
