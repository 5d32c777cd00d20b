"""Scales gradients on the way by a power of two that doubles with each call, until it is no number."""

import torch
from opwright import Dim, Operator, Shape, Tensor

batch = Shape("batch", typical=((64,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 5))

SCALE = [1.0]


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x * weight

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        SCALE[0] *= 2.0
        scale = torch.tensor(SCALE[0], dtype=torch.float32)
        inner = (grad * scale) / scale
        return inner * weight, (inner * x).sum(tuple(range(grad.dim() - 1)))


scale_doubled_for_ever = Operator(
    "scale_doubled_for_ever(Tensor input, Tensor weight) -> Tensor",
    inputs={"input": Tensor(batch, hidden, layout="copy"), "weight": Tensor(hidden, layout="copy")},
    dtypes=("float32",),
    reference=lambda input, weight: input * weight,
    function=Scaled.apply,
    backward="own",
)
