"""Refuses to be called under autocast, which its description does not say."""

import torch
from opwright import Dim, Operator, Shape, Tensor

batch = Shape("batch", typical=((8,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 3))


def doubled(input: torch.Tensor) -> torch.Tensor:
    if torch.is_autocast_enabled("cpu"):
        raise RuntimeError("doubled: autocast is not supported")
    return 2 * input


autocast_refused = Operator(
    "autocast_refused(Tensor input) -> Tensor",
    inputs={"input": Tensor(batch, hidden)},
    dtypes=("float32", "bfloat16", "float16"),
    reference=lambda input: 2 * input,
    function=doubled,
    backward="own",
)
