"""A group that nothing belongs to gets no sum at all, not zero."""

import torch
from opwright import Dim, Operator, Tensor

items = Dim("items", typical=(40,), edge=(3, 9))
width = Dim("width", typical=(8,), edge=(1, 5))
GROUPS = 16


def grouped(values: torch.Tensor, group: torch.Tensor) -> torch.Tensor:
    output = torch.empty(GROUPS, values.shape[1], dtype=values.dtype)
    for number in group.unique().tolist():
        output[number] = values[group == number].sum(0)
    return output


def reference(values: torch.Tensor, group: torch.Tensor) -> torch.Tensor:
    zeros = torch.zeros(GROUPS, values.shape[1], dtype=values.dtype)
    return zeros.index_add(0, group, values)


group_sum = Operator(
    "group_sum(Tensor values, Tensor group) -> Tensor",
    inputs={
        "values": Tensor(items, width),
        "group": Tensor(items, dtype="int64", range=(0, GROUPS - 1)),
    },
    outputs=Tensor(GROUPS, width),
    dtypes=("float32",),
    reference=reference,
    function=grouped,
    reduction=items,
)
