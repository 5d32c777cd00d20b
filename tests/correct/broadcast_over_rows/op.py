"""A row is added to every row of a tensor of any rank, and may be anything PyTorch takes."""

import torch
from opwright import Dim, Operator, Shape, Tensor

batch = Shape("batch", typical=((32,), (4, 8)), edge=((), (0,), (1,)))
width = Dim("width", typical=(64,), edge=(0, 1, 33))

shifted_rows = Operator(
    "shifted_rows(Tensor input, Tensor row) -> Tensor",
    inputs={
        "input": Tensor(batch, width, layout="strided"),
        "row": Tensor(width, layout="strided"),
    },
    dtypes=("float32", "bfloat16"),
    reference=lambda input, row: input + row,
    function=torch.add,
)
