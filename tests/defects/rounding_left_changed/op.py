"""Rounds upwards and does not put it back; C++."""

from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 3, 17))

operator = Operator(
    "upwards(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input * 2 + 1,
    sources={"cpu": "upwards.cpp"},
)
