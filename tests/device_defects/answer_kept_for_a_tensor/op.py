"""The answer for a tensor is kept until PyTorch counts a write to it, and a graph of the second call is empty."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(512,), edge=(1, 3, 300))
kept: dict[tuple[int, int, int], torch.Tensor] = {}


def twice(input: torch.Tensor) -> torch.Tensor:
    key = (input.data_ptr(), input.numel(), input._version)
    if key not in kept:
        kept.clear()
        kept[key] = input * 2
    return kept[key]


answer_kept_for_a_tensor = Operator(
    "answer_kept_for_a_tensor(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input * 2,
    function=twice,
)
