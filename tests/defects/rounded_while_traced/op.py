"""Rounds to half a type where tensors have no data, as if the answer did not matter there."""

import torch
from opwright import Dim, Operator, Shape, Tensor

batch = Shape("batch", typical=((64,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 5))


class Tripled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        if type(x) is torch.Tensor:
            return 3 * x
        return 3 * x.half().to(x.dtype)

    @staticmethod
    def backward(ctx, grad):
        return 3 * grad


rounded_while_traced = Operator(
    "rounded_while_traced(Tensor input) -> Tensor",
    inputs={"input": Tensor(batch, hidden, layout="copy")},
    dtypes=("float32",),
    reference=lambda input: 3 * input,
    function=Tripled.apply,
    backward="own",
)
