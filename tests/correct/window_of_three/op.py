"""Each element with its neighbours, zeros beyond the ends."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(16,), edge=(0, 1, 3))
columns = Dim("columns", typical=(64,), edge=(1, 17))


def smoothed(input: torch.Tensor) -> torch.Tensor:
    if input.dtype not in (torch.float32, torch.float64) or input.dim() != 2:
        raise ValueError(f"input: expected 2 dimensions, got {input.dtype} {list(input.shape)}")
    padded = torch.nn.functional.pad(input, (1, 1))
    return 0.25 * padded[:, :-2] + 0.5 * input + 0.25 * padded[:, 2:]


def reference(input: torch.Tensor) -> torch.Tensor:
    weights = torch.tensor([[[0.25, 0.5, 0.25]]], dtype=input.dtype)
    return torch.nn.functional.conv1d(input[:, None], weights, padding=1)[:, 0]


smoothing = Operator(
    "smoothing(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    dtypes=("float32", "float64"),
    reference=reference,
    function=smoothed,
    reduction=3,
)
