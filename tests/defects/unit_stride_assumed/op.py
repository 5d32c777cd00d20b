"""Reads the stride of rows, and takes for granted that of columns."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(1, 3))
columns = Dim("columns", typical=(16,), edge=(1, 5))


def plus_one(input: torch.Tensor) -> torch.Tensor:
    strides = (input.stride(0), 1)
    end = input.storage_offset() + strides[0] * (input.shape[0] - 1) + input.shape[1]
    memory = torch.empty(0, dtype=input.dtype).set_(input.untyped_storage())
    enough = torch.cat([memory, memory.new_zeros(max(0, end - memory.numel()))])
    return torch.as_strided(enough, input.shape, strides, input.storage_offset()) + 1


inner_dense = Operator(
    "inner_dense(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns, layout="strided")},
    dtypes=("float32",),
    reference=lambda input: input + 1,
    function=plus_one,
)
