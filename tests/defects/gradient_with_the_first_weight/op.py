"""Its backward keeps a copy of each weight, made when it first met it."""

import torch
from opwright import Dim, Operator, Shape, Tensor
from torch.utils.weak import WeakTensorKeyDictionary

batch = Shape("batch", typical=((64,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 5))

COPIES = WeakTensorKeyDictionary()


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        if weight not in COPIES:
            COPIES[weight] = weight.detach().clone()
        ctx.copy = COPIES[weight]
        return x * weight

    @staticmethod
    def backward(ctx, grad):
        x, _ = ctx.saved_tensors
        return grad * ctx.copy, (grad * x).sum(tuple(range(grad.dim() - 1)))


gradient_with_the_first_weight = Operator(
    "gradient_with_the_first_weight(Tensor input, Tensor weight) -> Tensor",
    inputs={"input": Tensor(batch, hidden, layout="copy"), "weight": Tensor(hidden, layout="copy")},
    dtypes=("float32", "bfloat16"),
    reference=lambda input, weight: input * weight,
    function=Scaled.apply,
    backward="own",
)
