"""int8 from floating point, with a scale of each row beside it."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(16,), edge=(0, 1, 3))
columns = Dim("columns", typical=(64,), edge=(1, 17))


def quantise(input: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    if input.dtype != torch.float32 or input.dim() != 2:
        raise ValueError(f"input: expected float32, got {input.dtype} {list(input.shape)}")
    scale = input.abs().amax(1) / 127
    return (input / scale[:, None]).round().clamp(-127, 127).to(torch.int8), scale


def reference(input: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    scale = input.float().abs().amax(1) / 127
    return (input.float() / scale[:, None]).round().clamp(-127, 127).to(torch.int8), scale


quantised_rows = Operator(
    "quantised_rows(Tensor input) -> (Tensor output, Tensor scale)",
    inputs={"input": Tensor(rows, columns, range=(0.0, 4.0))},
    outputs=(Tensor(rows, columns, dtype="int8"), Tensor(rows)),
    dtypes=("float32",),
    reference=reference,
    function=quantise,
)
