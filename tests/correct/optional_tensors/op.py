"""Two tensors that may be left out; C++."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(16,), edge=(0, 1, 3))
columns = Dim("columns", typical=(64,), edge=(1, 33))


def reference(
    input: torch.Tensor, weight: torch.Tensor | None, bias: torch.Tensor | None
) -> torch.Tensor:
    result = input if weight is None else input * weight
    return result.clone() if bias is None else result + bias


affine = Operator(
    "affine(Tensor input, Tensor? weight=None, Tensor? bias=None) -> Tensor",
    inputs={"input": Tensor(rows, columns), "weight": Tensor(columns), "bias": Tensor(columns)},
    dtypes=("float32",),
    reference=reference,
    sources={"cpu": "affine.cpp"},
)
