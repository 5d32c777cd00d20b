"""Takes its samples to lie in front, wherever torch.vmap has them."""

import torch
from opwright import Dim, Operator, Shape, Tensor

batch = Shape("batch", typical=((64,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 5))


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return torch.softmax(x, -1)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return y * (grad - (grad * y).sum(-1, keepdim=True))

    @staticmethod
    def vmap(info, in_dims, x):
        return Softmax.apply(x), in_dims[0]


samples_taken_to_lie_in_front = Operator(
    "samples_taken_to_lie_in_front(Tensor input) -> Tensor",
    inputs={"input": Tensor(batch, hidden, layout="copy")},
    dtypes=("float32",),
    reference=lambda input: torch.softmax(input, -1),
    function=Softmax.apply,
    backward="own",
)
