"""A tensor without dimensions comes back with one."""

import torch
from opwright import Operator, Shape, Tensor

batch = Shape("batch", typical=((8,), (2, 3)), edge=((),))


def shifted(input: torch.Tensor) -> torch.Tensor:
    return torch.atleast_1d(input) + 1


one_at_least = Operator(
    "one_at_least(Tensor input) -> Tensor",
    inputs={"input": Tensor(batch)},
    dtypes=("float32",),
    reference=lambda input: input + 1,
    function=shifted,
)
