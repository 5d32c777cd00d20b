"""Divides by the number of elements in Python."""

from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(4,), edge=(0, 1))
columns = Dim("columns", typical=(16,), edge=(0, 1))

mean = Operator(
    "mean(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    outputs=Tensor(rows),
    dtypes=("float32",),
    reference=lambda input: input.mean(1),
    function=lambda input: input.sum(1) * (1 / input.shape[1]),
    reduction=columns,
)
