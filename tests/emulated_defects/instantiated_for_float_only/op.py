"""Offers double, and has a kernel for float alone."""

from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(512,), edge=(1, 3, 300))

instantiated_for_float_only = Operator(
    "instantiated_for_float_only(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32", "float64"),
    reference=lambda input: input * 2,
    sources={"cuda": ["kernel.cu", "twice.cu"]},
)
