"""Takes a second caller for a call within a call."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 3, 17))


inside: list[int] = []


def double(input: torch.Tensor) -> torch.Tensor:
    if inside:
        raise RuntimeError("double: called from within itself")
    inside.append(1)
    result = input * 2
    result += 1
    inside.clear()
    return result


operator = Operator(
    "double_op(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input * 2 + 1,
    function=double,
)
