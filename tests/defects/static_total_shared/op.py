"""Adds up in a static variable; C++."""

from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(4096,), edge=(3,))

operator = Operator(
    "summed(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input.cumsum(0),
    sources={"cpu": "summed.cpp"},
    reduction=n,
)
