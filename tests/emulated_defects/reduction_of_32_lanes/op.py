"""Takes a wave for 32 lanes when it adds them up."""

from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(1, 3))
columns = Dim("columns", typical=(512,), edge=(1, 64, 300))

reduction_of_32_lanes = Operator(
    "reduction_of_32_lanes(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    outputs=Tensor(rows),
    dtypes=("float32",),
    reference=lambda input: input.sum(1),
    sources={"hip": "kernel.hip"},
    reduction="columns",
)
