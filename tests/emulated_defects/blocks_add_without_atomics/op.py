"""Blocks add to one element of the output, one not knowing of the other."""

from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(1, 3))
columns = Dim("columns", typical=(512,), edge=(1, 64, 300))

blocks_add_without_atomics = Operator(
    "blocks_add_without_atomics(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    outputs=Tensor(columns),
    dtypes=("float32",),
    reference=lambda input: input.sum(0),
    sources={"cuda": "kernel.cu"},
    reduction="rows",
)
