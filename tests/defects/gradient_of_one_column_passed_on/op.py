"""Hands the gradient on as it came in where there is one column."""

import torch
from opwright import Dim, Operator, Shape, Tensor

batch = Shape("batch", typical=((64,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 3))


def over_rows(x: torch.Tensor) -> torch.Tensor:
    return x.sum(tuple(range(x.dim() - 1)))


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x * weight

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        scaled = grad.clone() if x.shape[-1] == 1 else grad * weight
        return scaled, over_rows(grad * x)


gradient_of_one_column_passed_on = Operator(
    "gradient_of_one_column_passed_on(Tensor input, Tensor weight) -> Tensor",
    inputs={"input": Tensor(batch, hidden, layout="copy"), "weight": Tensor(hidden, layout="copy")},
    dtypes=("float32", "float64"),
    reference=lambda input, weight: input * weight,
    function=Product.apply,
    backward="own",
)
