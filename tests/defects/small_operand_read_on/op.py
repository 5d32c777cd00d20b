"""Indexes an operand of one element as if it had as many as the other; C++."""

from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 3, 17))

operator = Operator(
    "scaled(Tensor input, Tensor scale) -> Tensor",
    inputs={"input": Tensor(n), "scale": Tensor(1)},
    dtypes=("float32",),
    reference=lambda input, scale: input * scale[0],
    sources={"cpu": "scaled.cpp"},
)
