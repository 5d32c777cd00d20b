"""Multiplies row and stride in int; C++."""

from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(3, 5))
columns = Dim("columns", typical=(64,), edge=(17,))

operator = Operator(
    "halved(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns, layout="strided")},
    dtypes=("float32",),
    reference=lambda input: input / 2,
    sources={"cpu": "halved.cpp"},
    outputs=Tensor(rows, columns),
)
