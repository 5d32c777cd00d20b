"""Returns its input where there is nothing to do."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(16,), edge=(1, 3))


def as_float(input: torch.Tensor) -> torch.Tensor:
    return input.to(torch.float32)


same_tensor = Operator(
    "same_tensor(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    outputs=Tensor(n, dtype="float32"),
    dtypes=("float32", "bfloat16"),
    reference=lambda input: input.float(),
    function=as_float,
)
