"""An exponential by five terms of its series."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(256,), edge=(7,))


def series(input: torch.Tensor) -> torch.Tensor:
    return 1 + input * (1 + input / 2 * (1 + input / 3 * (1 + input / 4)))


few_terms = Operator(
    "few_terms(Tensor input) -> Tensor",
    inputs={"input": Tensor(n, range=(-1.0, 1.0))},
    dtypes=("float32", "bfloat16"),
    reference=torch.exp,
    function=series,
)
