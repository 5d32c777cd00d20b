"""Launches a block of any size, and never asks how it went."""

from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(512,), edge=(1, 2048))

launch_error_ignored = Operator(
    "launch_error_ignored(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input * 2,
    sources={"cuda": "kernel.cu"},
)
