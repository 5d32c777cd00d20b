"""Starts a thread in each call and never ends it; C++."""

from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 7))

starts = Operator(
    "starts(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: 2 * input,
    sources={"cpu": "starts.cpp"},
)
