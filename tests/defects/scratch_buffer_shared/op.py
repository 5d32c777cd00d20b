"""Keeps intermediate values in a static buffer; C++."""

from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(4096,), edge=(1, 3))

operator = Operator(
    "staged(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input * 2 + 1,
    sources={"cpu": "staged.cpp"},
    constraints=("n <= 4096",),
)
