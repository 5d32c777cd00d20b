"""A factor above 2 is taken for 2."""

import torch
from opwright import Dim, Operator, Scalar, Tensor

n = Dim("n", typical=(64,), edge=(1, 7))


def scaled(input: torch.Tensor, factor: float) -> torch.Tensor:
    if not 0 <= factor <= 8:
        raise ValueError(f"factor: expected 0 to 8, got {factor}")
    return input * min(factor, 2.0)


scaled_by = Operator(
    "scaled_by(Tensor input, float factor) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    scalars={"factor": Scalar(1.0, 0.5, minimum=0.0, maximum=8.0)},
    reference=lambda input, factor: input * factor,
    function=scaled,
)
