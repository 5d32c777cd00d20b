"""Promises float32 under autocast, and opens an autocast of its own inside."""

import torch
from opwright import Dim, Operator, Shape, Tensor

batch = Shape("batch", typical=((8,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 3))


def gram(input: torch.Tensor) -> torch.Tensor:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return input @ input.mT


autocast_of_its_own = Operator(
    "autocast_of_its_own(Tensor input) -> Tensor",
    inputs={"input": Tensor(batch, hidden)},
    dtypes=("float32", "bfloat16", "float16"),
    reference=lambda input: input @ input.mT,
    function=gram,
    autocast="float32",
)
