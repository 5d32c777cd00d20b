"""Begins a product with the first element of a row that may have none; C++."""

from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(4,), edge=(1, 3))
columns = Dim("columns", typical=(16,), edge=(0, 1))

row_product = Operator(
    "row_product(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    outputs=Tensor(rows),
    dtypes=("float32",),
    reference=lambda input: input.prod(1),
    reduction=columns,
    sources={"cpu": "row_product.cpp"},
)
