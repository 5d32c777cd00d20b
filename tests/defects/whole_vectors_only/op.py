"""Rounds the number of elements up to a vector's; C++."""

from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(60,), edge=(1, 3, 17))

operator = Operator(
    "octets(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input + 0,
    sources={"cpu": "octets.cpp"},
)
