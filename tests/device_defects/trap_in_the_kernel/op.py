"""The kernel ends itself at an element that it does not like."""

from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(512,), edge=(1, 3, 300))

trap_in_the_kernel = Operator(
    "trap_in_the_kernel(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input * 2,
    sources={"cuda": "kernel.cu"},
)
