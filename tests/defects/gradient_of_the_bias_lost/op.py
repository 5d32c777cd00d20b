"""Detaches an argument, so that its gradient is lost."""

import torch
from opwright import Dim, Operator, Shape, Tensor
from torch.nn.functional import silu

batch = Shape("batch", typical=((64,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 3))


def bias_swish(input: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return silu(input + bias.detach())


gradient_of_the_bias_lost = Operator(
    "gradient_of_the_bias_lost(Tensor input, Tensor bias) -> Tensor",
    inputs={"input": Tensor(batch, hidden, layout="copy"), "bias": Tensor(hidden, layout="copy")},
    dtypes=("float32", "float64"),
    reference=lambda input, bias: silu(input + bias),
    function=bias_swish,
    backward="own",
)
