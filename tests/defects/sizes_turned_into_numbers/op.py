"""Makes a number of a size, which compilers then have to rely on."""

import torch
from opwright import Dim, Operator, Shape, Tensor

batch = Shape("batch", typical=((64,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 5))


class Halved(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        count = int(x.shape[-1])
        return x * torch.full((count,), 0.5)

    @staticmethod
    def backward(ctx, grad):
        return 0.5 * grad


sizes_turned_into_numbers = Operator(
    "sizes_turned_into_numbers(Tensor input) -> Tensor",
    inputs={"input": Tensor(batch, hidden, layout="copy")},
    dtypes=("float32",),
    reference=lambda input: input / 2,
    function=Halved.apply,
    backward="own",
)
