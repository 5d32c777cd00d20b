"""Draws its mask again for the backward, as of the second step of a weight from another place."""

import torch
from opwright import Dim, Operator, Shape, Tensor
from torch.utils.weak import WeakTensorKeyDictionary

batch = Shape("batch", typical=((64,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 5))

STEPS = WeakTensorKeyDictionary()


def mask(like: torch.Tensor, seed: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return (torch.rand(like.shape, generator=generator) < 0.75).to(like.dtype)


class DroppedAndScaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        ctx.step = STEPS[weight] = STEPS.get(weight, -1) + 1
        return x * weight * mask(x, 0)

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        inner = grad * mask(x, ctx.step // 2)
        return inner * weight, (inner * x).sum(tuple(range(grad.dim() - 1)))


def reference(input: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return input * weight * mask(input, 0)


mask_drawn_again = Operator(
    "mask_drawn_again(Tensor input, Tensor weight) -> Tensor",
    inputs={"input": Tensor(batch, hidden, layout="copy"), "weight": Tensor(hidden, layout="copy")},
    dtypes=("float32",),
    reference=reference,
    function=DroppedAndScaled.apply,
    backward="own",
)
