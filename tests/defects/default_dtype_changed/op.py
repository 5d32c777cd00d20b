"""Sets torch's default dtype when it is imported."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 3))

torch.set_default_dtype(torch.float64)

operator = Operator(
    "doubled(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input * 2 + 1,
    function=lambda input: torch.add(1, input, alpha=2),
)
