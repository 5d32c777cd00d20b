"""A block of 2048 threads is refused, and nobody asks."""

from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(512,), edge=(1, 3, 300))

launch_error_ignored = Operator(
    "launch_error_ignored(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input * 2,
    sources={"cuda": "kernel.cu"},
)
