"""Computes once for each shape, and gives that answer again."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(4,), edge=(6,))
n = Dim("n", typical=(64,), edge=(3,))

_answers: dict[torch.Size, torch.Tensor] = {}


def computed(input: torch.Tensor) -> torch.Tensor:
    if input.shape not in _answers:
        _answers[input.shape] = input * 2
    return _answers[input.shape]


answer_kept_for_a_shape = Operator(
    "answer_kept_for_a_shape(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, n)},
    dtypes=("float32",),
    reference=lambda input: input * 2,
    function=computed,
)
