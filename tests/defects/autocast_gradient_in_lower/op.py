"""Works in float32 under autocast, and computes its gradient from halves."""

import torch
from opwright import Dim, Operator, Shape, Tensor

batch = Shape("batch", typical=((8,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 3))


class Cubed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input.bfloat16())
        return input**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return (3 * grad.bfloat16() * x * x).to(grad.dtype)


autocast_gradient_in_lower = Operator(
    "autocast_gradient_in_lower(Tensor input) -> Tensor",
    inputs={"input": Tensor(batch, hidden)},
    dtypes=("float32", "bfloat16", "float16"),
    reference=lambda input: input**3,
    function=Cubed.apply,
    backward="own",
    autocast="float32",
)
