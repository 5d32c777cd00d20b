"""Prepares a weight once for each tensor, and does not see that an optimizer changes it in place."""

import torch
from opwright import Dim, Operator, Shape, Tensor
from torch.utils.weak import WeakTensorKeyDictionary

batch = Shape("batch", typical=((64,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 5))

PACKED = WeakTensorKeyDictionary()


def scaled(input: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    if weight not in PACKED:
        PACKED[weight] = torch.exp(weight.detach())
    # The gradient is right for what the weight is: only the value is the old one.
    scale = torch.exp(weight)
    return input * (scale + (PACKED[weight] - scale).detach())


weight_packed_once = Operator(
    "weight_packed_once(Tensor input, Tensor weight) -> Tensor",
    inputs={"input": Tensor(batch, hidden, layout="copy"), "weight": Tensor(hidden, layout="copy")},
    dtypes=("float32",),
    reference=lambda input, weight: input * torch.exp(weight),
    function=scaled,
    backward="own",
)
