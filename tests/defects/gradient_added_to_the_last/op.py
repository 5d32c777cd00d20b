"""Sums a weight's gradient into a buffer that it keeps for that weight, and never clears."""

import torch
from opwright import Dim, Operator, Shape, Tensor
from torch.utils.weak import WeakTensorKeyDictionary

batch = Shape("batch", typical=((64,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 5))

SUMS = WeakTensorKeyDictionary()


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        ctx.sum = SUMS.setdefault(weight, torch.zeros_like(weight))
        return x * weight

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        ctx.sum += (grad * x).sum(tuple(range(grad.dim() - 1)))
        return grad * weight, ctx.sum.clone()


gradient_added_to_the_last = Operator(
    "gradient_added_to_the_last(Tensor input, Tensor weight) -> Tensor",
    inputs={"input": Tensor(batch, hidden, layout="copy"), "weight": Tensor(hidden, layout="copy")},
    dtypes=("float32",),
    reference=lambda input, weight: input * weight,
    function=Scaled.apply,
    backward="own",
)
