"""Multiplies matrices under whatever autocast is on, and returns its dtype."""

import torch
from opwright import Dim, Operator, Shape, Tensor

batch = Shape("batch", typical=((8,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 3))


def gram(input: torch.Tensor) -> torch.Tensor:
    return input @ input.mT


autocast_product_in_lower = Operator(
    "autocast_product_in_lower(Tensor input) -> Tensor",
    inputs={"input": Tensor(batch, hidden)},
    dtypes=("float32", "bfloat16", "float16"),
    reference=lambda input: input @ input.mT,
    function=gram,
    backward="own",
)
