"""The logarithm of a sum of exponentials, which lies near 0 for some rows."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(16,), edge=(0, 1, 3))
columns = Dim("columns", typical=(100,), edge=(1, 2, 5))


def total(wide: torch.Tensor) -> torch.Tensor:
    """The sum of each row, one term after the other, as a plain loop in C++ adds them."""
    result = torch.zeros_like(wide[:, 0])
    for column in wide.unbind(1):
        result = result + column
    return result


def log_sum(input: torch.Tensor) -> torch.Tensor:
    if input.dim() != 2 or input.dtype not in (torch.float32, torch.bfloat16):
        raise ValueError(f"input: expected 2 dimensions, got {input.dtype} {list(input.shape)}")
    wide = input.float()
    largest = wide.amax(1, keepdim=True)
    # an infinite largest one: inf - inf is no number, and the answer is that largest one
    shift = torch.where(largest.isinf(), 0.0, largest)
    return (torch.log(total(torch.exp(wide - shift))) + shift[:, 0]).to(input.dtype)


log_sum_exp = Operator(
    "log_sum_exp(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns, layout="strided")},
    outputs=Tensor(rows),
    dtypes=("float32", "bfloat16"),
    constraints=("columns > 0",),
    reference=lambda input: torch.logsumexp(input, 1),
    function=log_sum,
    reduction="columns",
)
