"""Its backward works in one place for all threads."""

import time

import torch
from opwright import Dim, Operator, Shape, Tensor

batch = Shape("batch", typical=((64,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 3))


def over_rows(x: torch.Tensor) -> torch.Tensor:
    return x.sum(tuple(range(x.dim() - 1)))


SCRATCH = {}


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x * weight

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        SCRATCH["grad"] = grad * weight
        time.sleep(0.0005)
        return SCRATCH["grad"], over_rows(grad * x)


backward_scratch_of_all_threads = Operator(
    "backward_scratch_of_all_threads(Tensor input, Tensor weight) -> Tensor",
    inputs={"input": Tensor(batch, hidden, layout="copy"), "weight": Tensor(hidden, layout="copy")},
    dtypes=("float32", "float64"),
    reference=lambda input, weight: input * weight,
    function=Product.apply,
    backward="own",
)
