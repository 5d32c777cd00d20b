"""Activations in one set of dtypes, weights in another; the output is like the first."""

import torch
from opwright import Dim, Operator, Tensor


rows = Dim("rows", typical=(16,), edge=(0, 1, 3))
columns = Dim("columns", typical=(64,), edge=(1, 33))

weighted = Operator(
    "weighted(Tensor input, Tensor weight) -> Tensor",
    inputs={
        "input": Tensor(rows, columns),
        "weight": Tensor(columns, dtype=("float32", "bfloat16")),
    },
    outputs=Tensor(rows, columns, dtype="like:input"),
    dtypes=("bfloat16", "float32"),
    reference=lambda input, weight: (input * weight).to(input.dtype),
    function=lambda input, weight: (
        (input.float() * weight.float()).to(input.dtype)
        if {input.dtype, weight.dtype} <= {torch.float32, torch.bfloat16}
        else refuse(input, weight)
    ),
)


def refuse(input: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    raise TypeError(
        f"input and weight: expected float32 or bfloat16, got {input.dtype} and {weight.dtype}"
    )
