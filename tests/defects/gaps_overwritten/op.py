"""Writes whole rows of a strided output, gaps included; C++."""

from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(4,), edge=(3,))
columns = Dim("columns", typical=(8,), edge=(5,))

operator = Operator(
    "cleared(Tensor(a!) target) -> ()",
    inputs={"target": Tensor(rows, columns, layout="strided")},
    dtypes=("float32",),
    reference=lambda target: target.zero_(),
    sources={"cpu": "cleared.cpp"},
)
