"""Its backward sets the default dtype, and leaves it so."""

import torch
from opwright import Dim, Operator, Shape, Tensor

batch = Shape("batch", typical=((64,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 3))


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        torch.set_default_dtype(torch.float64)
        return grad * 2


backward_sets_the_default_dtype = Operator(
    "backward_sets_the_default_dtype(Tensor input) -> Tensor",
    inputs={"input": Tensor(batch, hidden, layout="copy")},
    dtypes=("float32", "float64"),
    reference=lambda input: input * 2,
    function=Double.apply,
    backward="own",
)
