"""Works in the memory that it saved, so that a second backward starts from other numbers."""

import torch
from opwright import Dim, Operator, Shape, Tensor
from torch.nn.functional import silu

batch = Shape("batch", typical=((64,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 3))


def slope(sum_: torch.Tensor) -> torch.Tensor:
    s = torch.sigmoid(sum_)
    return s * (1 + sum_ * (1 - s))


class BiasSwish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, bias):
        ctx.total = x + bias
        return silu(ctx.total)

    @staticmethod
    def backward(ctx, grad):
        found = grad * slope(ctx.total)
        ctx.total.mul_(0.5)
        return found, found.sum(dim=tuple(range(found.dim() - 1)))


gradient_changes_what_is_saved = Operator(
    "gradient_changes_what_is_saved(Tensor input, Tensor bias) -> Tensor",
    inputs={"input": Tensor(batch, hidden, layout="copy"), "bias": Tensor(hidden, layout="copy")},
    dtypes=("float32", "float64"),
    reference=lambda input, bias: silu(input + bias),
    function=BiasSwish.apply,
    backward="own",
)
