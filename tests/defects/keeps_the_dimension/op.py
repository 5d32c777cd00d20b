"""The reduced dimension stays, with size 1."""

from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(1, 3))
columns = Dim("columns", typical=(16,), edge=(1, 5))

kept = Operator(
    "kept(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    outputs=Tensor(rows),
    dtypes=("float32",),
    reference=lambda input: input.amax(1),
    function=lambda input: input.amax(1, keepdim=True),
)
