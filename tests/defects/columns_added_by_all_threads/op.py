"""Threads share the rows, and all of them add to the same columns."""

from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(4096,), edge=(1, 3))
hidden = Dim("hidden", typical=(128,), edge=(1, 17))

operator = Operator(
    "column_sums(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, hidden)},
    dtypes=("float32",),
    reference=lambda input: input.sum(0),
    sources={"cpu": "column_sums.cpp"},
    outputs=Tensor(hidden),
    reduction=rows,
)
