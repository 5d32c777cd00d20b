"""Computes halves in float32 and returns them so, once autocast has lowered its argument."""

import torch
from opwright import Dim, Operator, Shape, Tensor

batch = Shape("batch", typical=((8,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 3))


def exponential(input: torch.Tensor) -> torch.Tensor:
    return input.float().exp()


autocast_widens_for_good = Operator(
    "autocast_widens_for_good(Tensor input) -> Tensor",
    inputs={"input": Tensor(batch, hidden)},
    dtypes=("float32", "bfloat16", "float16"),
    reference=lambda input: input.exp(),
    function=exponential,
    autocast="lower",
)
