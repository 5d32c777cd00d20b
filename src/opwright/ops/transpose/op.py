"""The transpose of a matrix, as a copy."""

from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(1024, 768), edge=(0, 1, 31, 33, 65_537))
columns = Dim("columns", typical=(1024, 2048), edge=(0, 1, 32, 65))

transpose = Operator(
    "transpose(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns, layout="copy")},
    outputs={"output": Tensor(columns, rows)},
    dtypes=("float32", "bfloat16", "float16", "float64"),
    reference=lambda input: input.t().contiguous(),
    sources={"cpu": "transpose.cpp", "cuda": "transpose.cu", "hip": "transpose.cu"},
)
