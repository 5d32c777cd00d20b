"""Another path where gradients are enabled, and that one forgets the bias."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(16,), edge=(1, 3))
columns = Dim("columns", typical=(48,), edge=(1, 5))


def shifted(input: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    if bias.shape != input.shape[1:]:
        raise ValueError(f"bias: expected {list(input.shape[1:])}, got {list(bias.shape)}")
    return input.clone() if torch.is_grad_enabled() else input + bias


with_bias = Operator(
    "with_bias(Tensor input, Tensor bias) -> Tensor",
    inputs={"input": Tensor(rows, columns), "bias": Tensor(columns)},
    dtypes=("float32",),
    reference=lambda input, bias: input + bias,
    function=shifted,
)
