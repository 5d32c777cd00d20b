"""A C++ kernel that is given strides, and steps through memory one by one."""

from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(1, 3))
columns = Dim("columns", typical=(16,), edge=(1, 5))

one_by_one = Operator(
    "one_by_one(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns, layout="strided")},
    dtypes=("float32",),
    reference=lambda input: input * input,
    sources={"cpu": "one_by_one.cpp"},
)
