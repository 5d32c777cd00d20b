"""Clears its output on the default stream."""

from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(512,), edge=(1, 3, 300))

cleared_on_stream_0 = Operator(
    "cleared_on_stream_0(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    outputs=Tensor(1),
    dtypes=("float32",),
    reference=lambda input: input.sum()[None],
    sources={"cuda": "kernel.cu"},
    reduction="n",
)
