"""Handles a signal for the whole process; C++."""

from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 7))

handles = Operator(
    "handles(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: 2 * input,
    sources={"cpu": "handles.cpp"},
)
