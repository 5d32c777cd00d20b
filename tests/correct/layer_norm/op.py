"""Layer norm, whose sums run one term after the other: rows of equal elements are not exactly 0."""

import torch
import torch.nn.functional as F
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(16,), edge=(0, 1, 3))
columns = Dim("columns", typical=(100,), edge=(2, 17))


def total(wide: torch.Tensor) -> torch.Tensor:
    """The sum of each row, one term after the other, as a plain loop in C++ adds them."""
    result = torch.zeros_like(wide[:, 0])
    for column in wide.unbind(1):
        result = result + column
    return result


def norm(input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    if input.dim() != 2 or input.dtype not in (torch.float32, torch.bfloat16):
        raise ValueError(f"input: expected 2 dimensions, got {input.dtype} {list(input.shape)}")
    for name, value in (("weight", weight), ("bias", bias)):
        if value.shape != input.shape[1:] or value.dtype != input.dtype:
            raise ValueError(
                f"{name}: expected {input.dtype} {list(input.shape[1:])}, "
                f"got {value.dtype} {list(value.shape)}"
            )
    wide = input.float()
    centred = wide - total(wide)[:, None] / wide.shape[1]
    variance = total(centred**2)[:, None] / wide.shape[1]
    scaled = centred * torch.rsqrt(variance + 1e-5)
    return (scaled * weight.float() + bias.float()).to(input.dtype).contiguous()


layer_norm = Operator(
    "layer_norm(Tensor input, Tensor weight, Tensor bias) -> Tensor",
    inputs={
        "input": Tensor(rows, columns, layout="strided"),
        "weight": Tensor(columns, layout="strided"),
        "bias": Tensor(columns, layout="strided"),
    },
    dtypes=("float32", "bfloat16"),
    constraints=("columns > 0",),
    reference=lambda input, weight, bias: F.layer_norm(input, input.shape[1:], weight, bias, 1e-5),
    function=norm,
    reduction="columns",
)
