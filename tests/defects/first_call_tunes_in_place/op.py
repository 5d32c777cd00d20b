"""The first call of a shape runs twice to choose a variant, in place."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(16,), edge=(1, 3))
TUNED: set[torch.Size] = set()


def halve_(target: torch.Tensor) -> None:
    if target.shape not in TUNED:
        TUNED.add(target.shape)
        target.mul_(0.5)
    target.mul_(0.5)


tuning = Operator(
    "tuning(Tensor(a!) target) -> ()",
    inputs={"target": Tensor(n)},
    dtypes=("float32",),
    reference=lambda target: target.mul_(0.5),
    function=halve_,
)
