"""Says that it takes strides, and reads as if rows were dense."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(1, 3))
columns = Dim("columns", typical=(16,), edge=(1, 5))


def copied(input: torch.Tensor) -> torch.Tensor:
    dense = (input.shape[1], 1)
    memory = torch.empty(0, dtype=input.dtype).set_(input.untyped_storage())
    enough = torch.cat([memory, memory.new_zeros(input.numel())])
    return torch.as_strided(enough, input.shape, dense, input.storage_offset()) + 1


dense_anyway = Operator(
    "dense_anyway(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns, layout="strided")},
    dtypes=("float32",),
    reference=lambda input: input + 1,
    function=copied,
)
