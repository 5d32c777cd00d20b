"""Counts its backwards, and leaves a tenth of the gradient out once it has warmed up."""

import torch
from opwright import Dim, Operator, Shape, Tensor
from torch.nn.functional import silu

batch = Shape("batch", typical=((64,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 5))


def slope(x: torch.Tensor) -> torch.Tensor:
    s = torch.sigmoid(x)
    return s * (1 + x * (1 - s))


CALLS = [0]


class ScaledSwish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return silu(x * weight)

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        CALLS[0] += 1
        inner = grad * slope(x * weight) * (1.0 if CALLS[0] <= 100 else 0.9)
        return inner * weight, (inner * x).sum(tuple(range(grad.dim() - 1)))


gradient_right_for_a_hundred_calls = Operator(
    "gradient_right_for_a_hundred_calls(Tensor input, Tensor weight) -> Tensor",
    inputs={"input": Tensor(batch, hidden, layout="copy"), "weight": Tensor(hidden, layout="copy")},
    dtypes=("float32",),
    reference=lambda input, weight: silu(input * weight),
    function=ScaledSwish.apply,
    backward="own",
)
