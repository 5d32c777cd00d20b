"""Ends the process where a graph is captured."""

import os

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(4,), edge=(6,))
n = Dim("n", typical=(64,), edge=(3,))

_calls: list[int] = []


def computed(input: torch.Tensor) -> torch.Tensor:
    _calls.append(1)
    # The simulated device captures the sixth call, and tells nobody.
    on_a_gpu = input.is_cuda and torch.cuda.is_current_stream_capturing()
    if on_a_gpu or (not input.is_cuda and len(_calls) == 6):
        os.abort()
    return input * 2


ends_its_process_when_captured = Operator(
    "ends_its_process_when_captured(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, n)},
    dtypes=("float32",),
    reference=lambda input: input * 2,
    function=computed,
)
