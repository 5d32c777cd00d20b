"""A bias that the schema requires may be left out all the same."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(1, 3))
columns = Dim("columns", typical=(16,), edge=(1, 5))


def biased(input: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return input.clone() if bias is None else input + bias


lenient = Operator(
    "lenient(Tensor input, Tensor bias) -> Tensor",
    inputs={"input": Tensor(rows, columns), "bias": Tensor(columns)},
    dtypes=("float32",),
    reference=lambda input, bias: input + bias,
    function=biased,
)
