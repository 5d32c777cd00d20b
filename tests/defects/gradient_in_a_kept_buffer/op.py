"""Gives the gradient in a buffer that it keeps for the next call."""

import torch
from opwright import Dim, Operator, Shape, Tensor

batch = Shape("batch", typical=((64,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 3))


def over_rows(x: torch.Tensor) -> torch.Tensor:
    return x.sum(tuple(range(x.dim() - 1)))


BUFFERS = {}


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x * weight

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        if torch.compiler.is_compiling():
            return grad * weight, over_rows(grad * x)
        key = (x.shape, x.dtype)
        kept = BUFFERS.setdefault(key, torch.empty(x.shape, dtype=x.dtype))
        return kept.copy_(grad * weight), over_rows(grad * x)


gradient_in_a_kept_buffer = Operator(
    "gradient_in_a_kept_buffer(Tensor input, Tensor weight) -> Tensor",
    inputs={"input": Tensor(batch, hidden, layout="copy"), "weight": Tensor(hidden, layout="copy")},
    dtypes=("float32", "float64"),
    reference=lambda input, weight: input * weight,
    function=Product.apply,
    backward="own",
)
