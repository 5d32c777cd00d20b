"""Lays its result out by columns where there are more rows: compilers plan with rows for all sizes."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(4,), edge=(6,))
n = Dim("n", typical=(64,), edge=(3,))


def computed(input: torch.Tensor) -> torch.Tensor:
    return input * 2 if len(input) <= 6 else (input.t().contiguous() * 2).t()


laid_out_by_columns_when_larger = Operator(
    "laid_out_by_columns_when_larger(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, n)},
    dtypes=("float32",),
    reference=lambda input: input * 2,
    function=computed,
)
