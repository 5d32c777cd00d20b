"""Device 0 is made the current one before the launch, wherever the tensors are."""

from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(512,), edge=(1, 3, 300))

device_0_taken_for_granted = Operator(
    "device_0_taken_for_granted(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input * 2,
    sources={"cuda": "kernel.cu"},
)
