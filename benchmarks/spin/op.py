"""A kernel whose time on the device is known: it spins until the device's own clock has moved on by so much."""

from __future__ import annotations

import torch
from opwright import Dim, Operator, Scalar, Tensor

one = Dim("one", typical=(1,), edge=())

spin = Operator(
    "spin(Tensor input, int duration_ns=3000) -> Tensor",
    inputs={"input": Tensor(one)},
    dtypes=("int64",),
    scalars={"duration_ns": Scalar(3000, minimum=0)},
    reference=lambda input, duration_ns=3000: torch.clone(input),  # noqa: ARG005
    sources={"cuda": "spin.cu"},
)
