"""Says that the samples of its result lie in front, wherever those of its argument do."""

import torch
from opwright import Dim, Operator, Shape, Tensor

batch = Shape("batch", typical=((64,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 5))


class Cubed(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x * x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x * x

    @staticmethod
    def vmap(info, in_dims, x):
        return Cubed.apply(x), 0


samples_said_to_be_in_front = Operator(
    "samples_said_to_be_in_front(Tensor input) -> Tensor",
    inputs={"input": Tensor(batch, hidden, layout="copy")},
    dtypes=("float32",),
    reference=lambda input: input * input * input,
    function=Cubed.apply,
    backward="own",
)
