"""Computes on a stream of its own, which is no part of a capture."""

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
        return input * 2


stream_of_its_own = Operator(
    "stream_of_its_own(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, n)},
    dtypes=("float32",),
    reference=lambda input: input * 2,
    function=computed,
)
