"""Rounds every result down to float16."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(16,), edge=(1, 3))
columns = Dim("columns", typical=(48,), edge=(1, 5))


def product(input: torch.Tensor) -> torch.Tensor:
    exact = input.double() * 1.7
    nearest = exact.half()
    below = torch.nextafter(nearest, torch.tensor(float("-inf"), dtype=torch.float16))
    return torch.where(nearest.double() > exact, below, nearest)


rounded_down = Operator(
    "rounded_down(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    dtypes=("float16",),
    reference=lambda input: (
        (input.double() * 1.7).half() if input.dtype == torch.float16 else 1.7 * input
    ),
    function=product,
)
