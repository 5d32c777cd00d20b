"""Asks a tensor for its address, which one without data has not."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(4,), edge=(6,))
n = Dim("n", typical=(64,), edge=(3,))


class Computed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x if x.data_ptr() % 4 == 0 else x + x

    @staticmethod
    def backward(ctx, grad):
        return 2 * grad


refuses_tensors_without_data = Operator(
    "refuses_tensors_without_data(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, n)},
    dtypes=("float32",),
    reference=lambda input: input * 2,
    function=Computed.apply,
    backward="own",
)
