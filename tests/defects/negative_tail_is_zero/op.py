"""Returns 0 below -5, where the true value is small and not 0."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(512,), edge=(65,))


def gelu(input: torch.Tensor) -> torch.Tensor:
    return torch.where(input < -3, 0 * input, torch.nn.functional.gelu(input))


dead_tail = Operator(
    "dead_tail(Tensor input) -> Tensor",
    inputs={"input": Tensor(n, range=(-8.0, 8.0))},
    dtypes=("float32", "float64"),
    reference=torch.nn.functional.gelu,
    function=gelu,
)
