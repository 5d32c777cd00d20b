"""Clears what it writes to, and then looks at the other argument."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(8,), edge=(1, 3))


def copy_into(target: torch.Tensor, source: torch.Tensor) -> None:
    target.zero_()
    if source.shape != target.shape or source.dtype != target.dtype:
        raise ValueError(
            f"source: expected {target.dtype} {list(target.shape)}, got {source.dtype} {list(source.shape)}"
        )
    target.add_(source)


hasty = Operator(
    "hasty(Tensor(a!) target, Tensor source) -> ()",
    inputs={"target": Tensor(n), "source": Tensor(n)},
    dtypes=("float32",),
    reference=lambda target, source: target.copy_(source),
    function=copy_into,
)
