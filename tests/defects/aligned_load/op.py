"""Loads four floats at a time with an instruction that wants them aligned; C++."""

from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(3, 17))

aligned_square = Operator(
    "aligned_square(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input * input,
    sources={"cpu": "aligned_square.cpp"},
)
