"""The mean of no elements is 0, not NaN."""

from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(4,), edge=(1, 3))
columns = Dim("columns", typical=(5,), edge=(0, 1))

averages = Operator(
    "averages(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    outputs=Tensor(rows),
    dtypes=("float32",),
    reference=lambda input: input.mean(1),
    function=lambda input: input.sum(1) / max(input.shape[1], 1),
    reduction=columns,
)
