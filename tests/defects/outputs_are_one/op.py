"""Both outputs are the same tensor."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(16,), edge=(1, 3))


def twice(input: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    result = input.exp()
    return result, result


twin = Operator(
    "twin(Tensor input) -> (Tensor one, Tensor other)",
    inputs={"input": Tensor(n)},
    outputs=(Tensor(n), Tensor(n)),
    dtypes=("float32",),
    reference=lambda input: (input.exp(), input.exp()),
    function=twice,
)
