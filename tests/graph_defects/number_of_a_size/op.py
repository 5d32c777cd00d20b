"""Makes a number of a size: each size is compiled anew."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(4,), edge=(6,))
n = Dim("n", typical=(64,), edge=(3,))


class Computed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * torch.full((int(x.shape[-1]),), 2.0, device=x.device)

    @staticmethod
    def backward(ctx, grad):
        return 2 * grad


number_of_a_size = Operator(
    "number_of_a_size(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, n)},
    dtypes=("float32",),
    reference=lambda input: input * 2,
    function=Computed.apply,
    backward="own",
)
