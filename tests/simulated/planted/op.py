"""An operator whose launcher does what its argument ``fault`` says."""

from __future__ import annotations

from opwright import Dim, Operator, Scalar, Tensor

planted = Operator(
    "planted(Tensor input, int fault=0) -> Tensor",
    inputs={"input": Tensor(Dim("n", typical=(64,)))},
    dtypes=("float32",),
    scalars={"fault": Scalar(0, minimum=0, maximum=9)},
    reference=lambda input, fault=0: 2 * input,
    sources={"cuda": "planted.cu"},
)
