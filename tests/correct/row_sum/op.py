"""A reduction over rows, accumulated in float32; C++."""

from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(64,), edge=(0, 1, 3))
columns = Dim("columns", typical=(256, 1024), edge=(0, 1, 33))

row_sum = Operator(
    "row_sum(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns, layout="copy")},
    outputs=Tensor(rows),
    dtypes=("float32", "bfloat16"),
    reference=lambda input: input.sum(1),
    reduction=columns,
    sources={"cpu": "row_sum.cpp"},
)
