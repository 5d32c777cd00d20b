"""Chooses its way by a value: tracing has to stop there."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(4,), edge=(6,))
n = Dim("n", typical=(64,), edge=(3,))


class Computed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x if x.abs().amax() < 100 else x + x

    @staticmethod
    def backward(ctx, grad):
        return 2 * grad


looks_at_a_value_on_the_way = Operator(
    "looks_at_a_value_on_the_way(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, n)},
    dtypes=("float32",),
    reference=lambda input: input * 2,
    function=Computed.apply,
    backward="own",
)
