"""Gives one tensor for two results, either of which a compiler may write to."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(4,), edge=(6,))
n = Dim("n", typical=(64,), edge=(3,))


def computed(input: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    doubled = input * 2
    return doubled, doubled


one_tensor_for_two_results = Operator(
    "one_tensor_for_two_results(Tensor input) -> (Tensor first, Tensor second)",
    inputs={"input": Tensor(rows, n)},
    outputs={"first": Tensor(rows, n), "second": Tensor(rows, n)},
    dtypes=("float32",),
    reference=lambda input: (input * 2, input * 2),
    function=computed,
)
