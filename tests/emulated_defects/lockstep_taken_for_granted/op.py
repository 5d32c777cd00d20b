"""Adds up a wave in shared memory without __syncwarp."""

from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(1, 3))
columns = Dim("columns", typical=(512,), edge=(1, 64, 300))

lockstep_taken_for_granted = Operator(
    "lockstep_taken_for_granted(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    outputs=Tensor(rows),
    dtypes=("float32",),
    reference=lambda input: input.sum(1),
    sources={"cuda": "kernel.cu"},
    reduction="columns",
)
