"""Looks one element beyond a local array, and does nothing with it; C++."""

from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 3, 17))

tabled = Operator(
    "tabled(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input * 2,
    sources={"cpu": "tabled.cpp"},
)
