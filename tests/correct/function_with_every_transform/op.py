"""A function with rules of its own for torch.vmap, gradients and tangents, wherever samples lie."""

import torch
from opwright import Dim, Operator, Shape, Tensor

batch = Shape("batch", typical=((64,),), edge=((2, 3), (1,), (0,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 5))


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return torch.softmax(x, -1)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)
        ctx.save_for_forward(output)

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return y * (grad - (grad * y).sum(-1, keepdim=True))

    @staticmethod
    def jvp(ctx, tangent):
        (y,) = ctx.saved_tensors
        return y * (tangent - (tangent * y).sum(-1, keepdim=True))

    @staticmethod
    def vmap(info, in_dims, x):
        return Softmax.apply(x.movedim(in_dims[0], 0)), 0


function_with_every_transform = Operator(
    "function_with_every_transform(Tensor input) -> Tensor",
    inputs={"input": Tensor(batch, hidden, layout="copy")},
    dtypes=("float32", "float64"),
    reference=lambda input: torch.softmax(input, -1),
    function=Softmax.apply,
    backward="own",
    reduction="hidden",
)
