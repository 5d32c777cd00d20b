"""The kernel is launched on a stream of its own that waits for nothing."""

from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(512,), edge=(1, 3, 300))

stream_of_its_own = Operator(
    "stream_of_its_own(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input * 2,
    sources={"cuda": "kernel.cu"},
)
