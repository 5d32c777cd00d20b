"""An output of half the width, for even widths only; C++."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(16,), edge=(0, 1, 3))
columns = Dim("columns", typical=(128,), edge=(2, 34))


def reference(input: torch.Tensor) -> torch.Tensor:
    gate, value = input.chunk(2, 1)
    return torch.nn.functional.silu(gate) * value


gated = Operator(
    "gated(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns, layout="copy")},
    outputs=Tensor(rows, columns // 2),
    constraints=("columns % 2 == 0",),
    dtypes=("float32", "bfloat16"),
    reference=reference,
    sources={"cpu": "gated.cpp"},
)
