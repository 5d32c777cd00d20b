"""Whatever has four bytes an element is read as float32."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(8,), edge=(1, 3))


def half(input: torch.Tensor) -> torch.Tensor:
    if input.element_size() != 4:
        raise ValueError(f"input: expected 4 bytes an element, got {input.element_size()}")
    return 0.5 * input.view(torch.float32)


four_bytes = Operator(
    "four_bytes(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: 0.5 * input,
    function=half,
)
