"""A tensor without dimensions beside one that has some."""

import torch
from opwright import Dim, Operator, Tensor


n = Dim("n", typical=(64,), edge=(0, 1, 7))

times = Operator(
    "times(Tensor input, Tensor factor) -> Tensor",
    inputs={"input": Tensor(n), "factor": Tensor()},
    dtypes=("float32", "bfloat16"),
    reference=lambda input, factor: input * factor,
    function=lambda input, factor: torch.mul(factor, input),
)
