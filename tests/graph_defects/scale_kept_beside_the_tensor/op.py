"""Reads a tensor's largest value once, and keeps it beside the tensor."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(4,), edge=(6,))
n = Dim("n", typical=(64,), edge=(3,))


def computed(input: torch.Tensor) -> torch.Tensor:
    if not hasattr(input, "largest"):
        input.largest = float(input.amax())
    return input / input.largest


scale_kept_beside_the_tensor = Operator(
    "scale_kept_beside_the_tensor(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, n)},
    dtypes=("float32",),
    reference=lambda input: input / input.amax(),
    function=computed,
)
