"""Leaves out the last rows where they are all negative: the size hangs on values."""

import torch
from opwright import Dim, Operator, Shape, Tensor

batch = Shape("batch", typical=((64,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 3))


def doubled(input: torch.Tensor) -> torch.Tensor:
    kept = input if input.dim() != 2 or bool((input[-1] > 9).all()) else input[:-1]
    return 2 * kept


dispatcher_drops_small_rows = Operator(
    "dispatcher_drops_small_rows(Tensor input) -> Tensor",
    inputs={"input": Tensor(batch, hidden)},
    dtypes=("float32", "float64"),
    reference=lambda input: 2 * input,
    function=doubled,
)
