"""Takes elements of any dtype for float."""

from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(512,), edge=(1, 3, 300))

taken_for_float = Operator(
    "taken_for_float(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32", "bfloat16"),
    reference=lambda input: input * 2,
    sources={"cuda": "kernel.cu"},
)
