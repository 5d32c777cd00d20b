"""Looks at the element after the last one; C++."""

from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 3, 17))

operator = Operator(
    "smooth(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input + 0,
    sources={"cpu": "smooth.cpp"},
)
