"""The exact GELU is the tanh one as well."""

import torch
import torch.nn.functional as F
from opwright import Dim, Operator, Scalar, Tensor

n = Dim("n", typical=(256,), edge=(1, 7))


def gelu(input: torch.Tensor, approximate: str) -> torch.Tensor:
    if approximate not in ("tanh", "none"):
        raise ValueError(f"approximate has to be 'tanh' or 'none', not {approximate!r}")
    return F.gelu(input, approximate="tanh")


two_ways = Operator(
    'two_ways(Tensor input, str approximate="tanh") -> Tensor',
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    scalars={"approximate": Scalar("tanh", "none")},
    reference=lambda input, approximate: F.gelu(input, approximate=approximate),
    function=gelu,
)
