"""Computes into a transposed buffer, and returns it as it lies."""

import torch
from opwright import Dim, Operator, Shape, Tensor

batch = Shape("batch", typical=((64,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 3))


def doubled(input: torch.Tensor) -> torch.Tensor:
    return (2 * input.mT.contiguous()).mT


dispatcher_transposed_result = Operator(
    "dispatcher_transposed_result(Tensor input) -> Tensor",
    inputs={"input": Tensor(batch, hidden)},
    dtypes=("float32", "float64"),
    reference=lambda input: 2 * input,
    function=doubled,
)
