"""Writes into its argument and returns nothing."""

import torch
from opwright import Dim, Operator, Tensor


n = Dim("n", typical=(64,), edge=(0, 1, 7))


def add(total: torch.Tensor, term: torch.Tensor, weight: float) -> None:
    if total.shape != term.shape or total.dtype != term.dtype:
        raise ValueError(
            f"term: expected {total.dtype} {list(total.shape)}, got {term.dtype} {list(term.shape)}"
        )
    total.add_(term, alpha=weight)


accumulate = Operator(
    "accumulate(Tensor(a!) total, Tensor term, float weight=1.0) -> ()",
    inputs={"total": Tensor(n), "term": Tensor(n)},
    dtypes=("float32", "bfloat16"),
    reference=lambda total, term, weight: total.add_(term, alpha=weight),
    function=add,
)
