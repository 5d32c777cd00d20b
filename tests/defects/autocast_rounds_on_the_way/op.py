"""Follows autocast in Python, rounds to its dtype and returns the old one."""

import torch
from opwright import Dim, Operator, Shape, Tensor

batch = Shape("batch", typical=((8,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 3))


def scaled(input: torch.Tensor) -> torch.Tensor:
    if torch.is_autocast_enabled("cpu"):
        return (2.3 * input.to(torch.get_autocast_dtype("cpu"))).to(input.dtype)
    return 2.3 * input


autocast_rounds_on_the_way = Operator(
    "autocast_rounds_on_the_way(Tensor input) -> Tensor",
    inputs={"input": Tensor(batch, hidden)},
    dtypes=("float32", "bfloat16", "float16"),
    reference=lambda input: 2.3 * input,
    function=scaled,
    backward="own",
)
