"""A function in the older way, which torch.func refuses."""

import torch
from opwright import Dim, Operator, Shape, Tensor

batch = Shape("batch", typical=((64,),), edge=((2, 3), (1,), (0,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 5))


class Cubed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return (x * x * x).contiguous()

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x * x


function_without_transforms = Operator(
    "function_without_transforms(Tensor input) -> Tensor",
    inputs={"input": Tensor(batch, hidden, layout="copy")},
    dtypes=("float32", "float64"),
    reference=lambda input: input * input * input,
    function=Cubed.apply,
    backward="own",
)
