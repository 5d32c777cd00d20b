"""Softmax along the last dimension."""

import torch
from opwright import Dim, Operator, Shape, Tensor

batch = Shape("batch", typical=((1024,), (8, 128)), edge=((), (0,), (1,), (3,), (2, 3), (1_025,)))
columns = Dim("columns", typical=(768, 1024), edge=(0, 1, 31, 33, 64, 257))

row_softmax = Operator(
    "row_softmax(Tensor input) -> Tensor",
    inputs={"input": Tensor(batch, columns, layout="copy")},
    dtypes=("float32", "bfloat16", "float16", "float64"),
    reference=lambda input: torch.softmax(input, -1),
    sources={"cpu": "row_softmax.cpp", "cuda": "row_softmax.cu", "hip": "row_softmax.cu"},
    reduction="columns",
    autocast="float32",
    vmap=batch,
)
