"""Fills a table in its first call, wherever that is recorded."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(4,), edge=(6,))
n = Dim("n", typical=(64,), edge=(3,))

_tables: dict[int, torch.Tensor] = {}


def computed(input: torch.Tensor) -> torch.Tensor:
    width = input.shape[-1]
    if width not in _tables:
        _tables[width] = torch.full((width,), 2.0, device=input.device)
    return input * _tables[width]


table_of_the_first_call = Operator(
    "table_of_the_first_call(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, n)},
    dtypes=("float32",),
    reference=lambda input: input * 2,
    function=computed,
)
