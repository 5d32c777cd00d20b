"""Sums a whole tile of which the tail was never written."""

from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(1, 3))
columns = Dim("columns", typical=(512,), edge=(1, 64, 300))

shared_read_unwritten = Operator(
    "shared_read_unwritten(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    outputs=Tensor(rows),
    dtypes=("float32",),
    reference=lambda input: input.sum(1),
    sources={"cuda": "kernel.cu"},
    reduction="columns",
)
