"""Puts rows where a grid has 65,535 at most."""

from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(1, 65_536))
columns = Dim("columns", typical=(64,), edge=(1, 5))

rows_in_grid_y = Operator(
    "rows_in_grid_y(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    dtypes=("float32",),
    reference=lambda input: input * 2,
    sources={"cuda": "kernel.cu"},
)
