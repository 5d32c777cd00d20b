"""Multiplies a float32 matrix with the gradient, which autocast made a lower one."""

import torch
from opwright import Dim, Operator, Shape, Tensor

batch = Shape("batch", typical=((8,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 3))


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        return 2 * input

    @staticmethod
    def backward(ctx, grad):
        return grad @ (2 * torch.eye(grad.shape[-1]))


autocast_backward_mixes_dtypes = Operator(
    "autocast_backward_mixes_dtypes(Tensor input) -> Tensor",
    inputs={"input": Tensor(batch, hidden)},
    dtypes=("float32", "bfloat16", "float16"),
    reference=lambda input: 2 * input,
    function=Doubled.apply,
    backward="own",
    autocast="lower",
)
