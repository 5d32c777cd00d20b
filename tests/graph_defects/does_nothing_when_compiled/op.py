"""Compiled, it does nothing."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(4,), edge=(6,))
n = Dim("n", typical=(64,), edge=(3,))


class Computed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone() if torch.compiler.is_compiling() else 2 * x

    @staticmethod
    def backward(ctx, grad):
        return 2 * grad


does_nothing_when_compiled = Operator(
    "does_nothing_when_compiled(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, n)},
    dtypes=("float32",),
    reference=lambda input: input * 2,
    function=Computed.apply,
    backward="own",
)
