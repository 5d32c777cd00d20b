"""An extension that takes addresses, and whose wrapper looks at nothing."""

from typing import Any

import torch
from opwright import Dim, Extension, Operator, Tensor

rows = Dim("rows", typical=(16,), edge=(0, 1, 3))
columns = Dim("columns", typical=(64,), edge=(1, 5))


def call(module: Any, input: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    output = torch.empty(input.shape)
    module.scale(input.data_ptr(), weight.data_ptr(), output.data_ptr(), *input.shape)
    return output


scaled_rows = Operator(
    "scaled_rows(Tensor input, Tensor weight) -> Tensor",
    inputs={"input": Tensor(rows, columns), "weight": Tensor(columns)},
    dtypes=("float32",),
    reference=lambda input, weight: input * weight,
    extension=Extension(sources="scale.cpp", call=call),
)
