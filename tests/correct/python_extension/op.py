"""A module of Python's own C API, with a wrapper that checks what it is given."""

from typing import Any

import torch
from opwright import Dim, Extension, Operator, Tensor

rows = Dim("rows", typical=(16,), edge=(0, 1, 3))
columns = Dim("columns", typical=(64,), edge=(1, 5))


def call(module: Any, input: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    if input.dim() != 2 or weight.shape != input.shape[1:]:
        raise ValueError(
            f"weight: expected one value a column of {list(input.shape)}, got {list(weight.shape)}"
        )
    if input.dtype != torch.float32 or weight.dtype != torch.float32:
        raise TypeError(f"input and weight: expected float32, got {input.dtype} and {weight.dtype}")
    dense, factors = input.contiguous(), weight.contiguous()
    output = torch.empty_like(dense)
    module.scale(dense.data_ptr(), factors.data_ptr(), output.data_ptr(), *dense.shape)
    return output


scaled_rows = Operator(
    "scaled_rows(Tensor input, Tensor weight) -> Tensor",
    inputs={"input": Tensor(rows, columns), "weight": Tensor(columns)},
    dtypes=("float32",),
    reference=lambda input, weight: input * weight,
    extension=Extension(sources="scale.cpp", call=call),
)
