"""The host reads a value back to choose what to launch."""

from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(512,), edge=(1, 3, 300))

host_decides = Operator(
    "host_decides(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input * 2,
    sources={"cuda": "kernel.cu"},
)
