"""A reduction with a maximum, an exponential and a sum."""

import torch
from opwright import Dim, Operator, Tensor


rows = Dim("rows", typical=(32,), edge=(0, 1, 3))
columns = Dim("columns", typical=(128,), edge=(1, 65))
DTYPES = (torch.float32, torch.bfloat16, torch.float16)


def softmax(input: torch.Tensor) -> torch.Tensor:
    if input.dtype not in DTYPES or input.dim() != 2:
        raise ValueError(f"input: expected 2 dimensions, got {input.dtype} {list(input.shape)}")
    wide = input.float()
    powers = (wide - wide.amax(-1, keepdim=True)).exp()
    return (powers / powers.sum(-1, keepdim=True)).to(input.dtype)


row_softmax = Operator(
    "row_softmax(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns, range=(-20.0, 20.0))},
    dtypes=("float32", "bfloat16", "float16"),
    reference=lambda input: torch.softmax(input, 1),
    function=softmax,
    reduction=columns,
)
