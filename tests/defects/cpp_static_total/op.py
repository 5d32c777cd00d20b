"""A C++ kernel whose running total is static."""

from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(16,), edge=(1, 3))

running = Operator(
    "running(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input.cumsum(0),
    reduction=n,
    sources={"cpu": "running.cpp"},
)
