"""A kernel that reads whatever strides come, also those of its target; C++."""

from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(16,), edge=(0, 1, 3))
columns = Dim("columns", typical=(72,), edge=(1, 5))

add_transposed = Operator(
    "add_transposed(Tensor(a!) target, Tensor other) -> ()",
    inputs={
        "target": Tensor(rows, columns, layout="strided"),
        "other": Tensor(columns, rows, layout="strided"),
    },
    dtypes=("float32",),
    reference=lambda target, other: target.add_(other.t()),
    sources={"cpu": "add_transposed.cpp"},
)
