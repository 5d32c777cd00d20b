"""The tensors' device is made the current one, and nobody puts the caller's back."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(512,), edge=(1, 3, 300))


def twice(input: torch.Tensor) -> torch.Tensor:
    torch.accelerator.set_device_index(input.device.index)
    return input * 2


other_device_left_current = Operator(
    "other_device_left_current(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input * 2,
    function=twice,
)
