"""The call returns when the device has done everything."""

from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(512,), edge=(1, 3, 300))

waits_for_the_device = Operator(
    "waits_for_the_device(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input * 2,
    sources={"cuda": "kernel.cu"},
)
