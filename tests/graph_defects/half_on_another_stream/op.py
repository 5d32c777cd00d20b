"""Computes a first part on a stream that does not wait, and the rest where it should."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(4,), edge=(6,))
n = Dim("n", typical=(64,), edge=(3,))

_streams: list[torch.Stream] = []


def computed(input: torch.Tensor) -> torch.Tensor:
    module = torch.get_device_module(input.device.type)
    if not _streams:
        _streams.append(torch.Stream(device=input.device))
    with module.stream(_streams[0]):
        first = input * 2
    return first + 1


half_on_another_stream = Operator(
    "half_on_another_stream(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, n)},
    dtypes=("float32",),
    reference=lambda input: input * 2 + 1,
    function=computed,
)
