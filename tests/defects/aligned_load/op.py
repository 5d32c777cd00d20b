"""Loads four floats at a time with an instruction that wants them aligned; C++."""

from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(3, 17))

aligned_sum = Operator(
    "aligned_sum(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input + 1,
    sources={"cpu": "aligned_sum.cpp"},
)
