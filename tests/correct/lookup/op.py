"""Rows of a table by integer index: a fixed dtype beside a variable one."""

import torch
from opwright import Dim, Operator, Tensor


items = Dim("items", typical=(40,), edge=(0, 1, 9))
width = Dim("width", typical=(32,), edge=(1, 5))
ENTRIES = 50


def lookup(table: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    if index.dtype != torch.int64 or index.dim() != 1:
        raise ValueError(
            f"index: expected int64 with 1 dimension, got {index.dtype} with {index.dim()}"
        )
    return table.index_select(0, index)


rows_of_table = Operator(
    "rows_of_table(Tensor table, Tensor index) -> Tensor",
    inputs={
        "table": Tensor(ENTRIES, width),
        "index": Tensor(items, dtype="int64", range=(0, ENTRIES - 2)),
    },
    outputs=Tensor(items, width),
    dtypes=("float32", "bfloat16"),
    reference=lambda table, index: table[index],
    function=lookup,
)
