"""Reads images in the order of memory."""

import torch
from opwright import Operator, Shape, Tensor

image = Shape("image", typical=((2, 3, 4, 5),), edge=((1, 2, 3, 2),))


def scaled(input: torch.Tensor) -> torch.Tensor:
    if not input.is_contiguous(memory_format=torch.channels_last):
        return input * 2
    return torch.as_strided(input, (input.numel(),), (1,)).mul(2).view(input.shape)


memory_order = Operator(
    "memory_order(Tensor input) -> Tensor",
    inputs={"input": Tensor(image)},
    dtypes=("float32",),
    reference=lambda input: input * 2,
    function=scaled,
)
