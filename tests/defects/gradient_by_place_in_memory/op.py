"""Reads what it saved in the order of memory, which for a transposed input is another."""

import torch
from opwright import Dim, Operator, Shape, Tensor

batch = Shape("batch", typical=((64,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 3))


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.square()

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        dense = x.as_strided((x.numel(),), (1,)) if x.mT.is_contiguous() else x.reshape(-1)
        return (2 * grad.reshape(-1) * dense).view(x.shape)


gradient_by_place_in_memory = Operator(
    "gradient_by_place_in_memory(Tensor input) -> Tensor",
    inputs={"input": Tensor(batch, hidden, layout="copy")},
    dtypes=("float32", "float64"),
    reference=torch.square,
    function=Square.apply,
    backward="own",
)
