"""Accumulates in float64, and forgets to round the result."""

import torch
from opwright import Dim, Operator, Shape, Tensor

batch = Shape("batch", typical=((64,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 3))


def summed(input: torch.Tensor) -> torch.Tensor:
    return input.double().cumsum(-1)


dispatcher_float64_result = Operator(
    "dispatcher_float64_result(Tensor input) -> Tensor",
    inputs={"input": Tensor(batch, hidden)},
    dtypes=("float32", "float64"),
    reference=lambda input: input.cumsum(-1),
    function=summed,
)
