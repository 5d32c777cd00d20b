"""Has a forward-mode formula that gives zeros."""

import torch
from opwright import Dim, Operator, Shape, Tensor

batch = Shape("batch", typical=((64,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 5))


class Cubed(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x * x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x * x

    @staticmethod
    def jvp(ctx, tangent):
        (x,) = ctx.saved_tensors
        return tangent * x * 0


tangent_of_zero = Operator(
    "tangent_of_zero(Tensor input) -> Tensor",
    inputs={"input": Tensor(batch, hidden, layout="copy")},
    dtypes=("float32",),
    reference=lambda input: input * input * input,
    function=Cubed.apply,
    backward="own",
)
