"""Whatever lies elsewhere is fetched on the way, without a word."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(512,), edge=(1, 3, 300))


def total(one: torch.Tensor, two: torch.Tensor) -> torch.Tensor:
    return one + two.to(one.device)


mixed_devices_accepted = Operator(
    "mixed_devices_accepted(Tensor one, Tensor two) -> Tensor",
    inputs={"one": Tensor(n), "two": Tensor(n)},
    dtypes=("float32",),
    reference=lambda one, two: one + two,
    function=total,
)
