"""The variance of each row, in two passes, added up one term after the other."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(16,), edge=(0, 1, 3))
columns = Dim("columns", typical=(100,), edge=(2, 17))


def total(wide: torch.Tensor) -> torch.Tensor:
    """The sum of each row, one term after the other, as a plain loop in C++ adds them."""
    result = torch.zeros_like(wide[:, 0])
    for column in wide.unbind(1):
        result = result + column
    return result


def spread(input: torch.Tensor) -> torch.Tensor:
    if input.dim() != 2 or input.dtype not in (torch.float32, torch.bfloat16):
        raise ValueError(f"input: expected 2 dimensions, got {input.dtype} {list(input.shape)}")
    wide = input.float()
    mean = total(wide)[:, None] / wide.shape[1]
    return total((wide - mean) ** 2).div(wide.shape[1]).to(input.dtype)


row_variance = Operator(
    "row_variance(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns, layout="strided")},
    outputs=Tensor(rows),
    dtypes=("float32", "bfloat16"),
    constraints=("columns > 0",),
    reference=lambda input: input.var(1, correction=0),
    function=spread,
    reduction="columns",
)
