"""The largest value of each row and its place: two outputs, one an integer; C++."""

from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(32,), edge=(0, 1, 3))
columns = Dim("columns", typical=(128,), edge=(1, 65))

largest = Operator(
    "largest(Tensor input) -> (Tensor value, Tensor place)",
    inputs={"input": Tensor(rows, columns)},
    outputs={"value": Tensor(rows, dtype="like:input"), "place": Tensor(rows, dtype="int64")},
    dtypes=("float32", "float64"),
    reference=lambda input: (input.amax(1), input.argmax(1)),
    sources={"cpu": "largest.cpp"},
)
