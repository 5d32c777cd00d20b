"""Returns a part of its input as a view."""

from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(1, 3))
columns = Dim("columns", typical=(16,), edge=(2, 6))

first_half = Operator(
    "first_half(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    outputs=Tensor(rows, columns // 2),
    constraints=("columns % 2 == 0",),
    dtypes=("float32",),
    reference=lambda input: input[:, : input.shape[1] // 2],
    function=lambda input: input[:, : input.shape[1] // 2],
)
