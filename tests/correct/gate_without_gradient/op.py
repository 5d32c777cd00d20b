"""A gate that gets no gradient from one result, on purpose, and one from the other, whose terms cancel."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(16,), edge=(0, 3))
hidden = Dim("hidden", typical=(8,), edge=(5,))


class Size(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.abs()

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        other = torch.where(x == 0, 1, x)
        return torch.where(x == 0, 0, grad * (other / other.abs()))


gate_without_gradient = Operator(
    "gate_without_gradient(Tensor input, Tensor gate) -> (Tensor gated, Tensor size)",
    inputs=dict.fromkeys(("input", "gate"), Tensor(rows, hidden, layout="copy")),
    outputs=(Tensor(rows, hidden), Tensor(rows, hidden)),
    dtypes=("float32", "float64"),
    reference=lambda input, gate: (input * torch.sigmoid(gate).detach(), gate.abs()),
    function=lambda input, gate: (
        (input * torch.sigmoid(gate.detach())).contiguous(),
        Size.apply(gate).contiguous(),
    ),
    backward="own",
)
