"""Computes the offset of a row in 32 bits."""

from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(1, 3))
columns = Dim("columns", typical=(512,), edge=(1, 64, 300))

row_offset_in_int = Operator(
    "row_offset_in_int(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns, layout="strided")},
    dtypes=("float32",),
    reference=lambda input: input * 2,
    sources={"cuda": "kernel.cu"},
)
