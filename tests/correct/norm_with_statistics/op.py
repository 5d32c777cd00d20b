"""Three outputs, two of them in float32 whatever the input's dtype."""

import torch
from opwright import Dim, Operator, Tensor


rows = Dim("rows", typical=(16,), edge=(0, 1, 3))
columns = Dim("columns", typical=(128,), edge=(2, 65))


def reference(input: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    wide = input if input.dtype == torch.float64 else input.float()
    mean = wide.mean(1, keepdim=True)
    scale = (wide.var(1, keepdim=True, correction=0) + 1e-5).rsqrt()
    return ((wide - mean) * scale).to(input.dtype), mean.squeeze(1), scale.squeeze(1)


def normalised(input: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    if input.dtype not in (torch.float32, torch.bfloat16) or input.dim() != 2:
        raise ValueError(f"input: expected 2 dimensions, got {input.dtype} {list(input.shape)}")
    wide = input.float()
    mean = wide.sum(1, keepdim=True) / input.shape[1]
    scale = ((wide - mean).square().mean(1, keepdim=True) + 1e-5).rsqrt()
    return ((wide - mean) * scale).to(input.dtype), mean.squeeze(1), scale.squeeze(1)


norm = Operator(
    "norm(Tensor input) -> (Tensor output, Tensor mean, Tensor scale)",
    inputs={"input": Tensor(rows, columns)},
    outputs=(Tensor(rows, columns), Tensor(rows, dtype="float32"), Tensor(rows, dtype="float32")),
    dtypes=("float32", "bfloat16"),
    reference=reference,
    function=normalised,
    reduction=columns,
)
