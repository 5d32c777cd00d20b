"""Lays its result out by columns, where compilers plan with rows."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(4,), edge=(6,))
n = Dim("n", typical=(64,), edge=(3,))


def computed(input: torch.Tensor) -> torch.Tensor:
    return (input.t().contiguous() * 2).t()


laid_out_by_columns = Operator(
    "laid_out_by_columns(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, n)},
    dtypes=("float32",),
    reference=lambda input: input * 2,
    function=computed,
)
