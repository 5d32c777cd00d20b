"""Every row is that of the one before it."""

from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(1, 3))
columns = Dim("columns", typical=(16,), edge=(1, 5))

shifted = Operator(
    "shifted(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    dtypes=("float32",),
    reference=lambda input: input.exp(),
    function=lambda input: input.exp().roll(1, 0),
)
