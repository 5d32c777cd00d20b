"""Reads the gradient that comes in as if it were dense, whatever its strides."""

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
        ctx.save_for_backward(x, bias)
        return silu(x + bias)

    @staticmethod
    def backward(ctx, grad):
        x, bias = ctx.saved_tensors
        if (
            grad.untyped_storage().nbytes()
            >= grad.numel() * grad.element_size() + grad.storage_offset() * grad.element_size()
        ):
            strides = torch.empty(grad.shape, device="meta").stride()
            grad = grad.as_strided(grad.shape, strides)
        found = grad * slope(x + bias)
        return found, found.sum(dim=tuple(range(found.dim() - 1)))


gradient_read_as_dense = Operator(
    "gradient_read_as_dense(Tensor input, Tensor bias) -> Tensor",
    inputs={"input": Tensor(batch, hidden, layout="copy"), "bias": Tensor(hidden, layout="copy")},
    dtypes=("float32", "float64"),
    reference=lambda input, bias: silu(input + bias),
    function=BiasSwish.apply,
    backward="own",
)
