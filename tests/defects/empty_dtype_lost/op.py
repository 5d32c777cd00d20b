"""An early return for empty input forgets the dtype."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(16,), edge=(0, 1))


def square(input: torch.Tensor) -> torch.Tensor:
    return input * input if input.numel() else torch.zeros(input.shape)


early = Operator(
    "early(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32", "float64"),
    reference=lambda input: input * input,
    function=square,
)
