"""A gate with a mask that stays as it is, and an autograd.Function of its own."""

import torch
from opwright import Dim, Operator, Shape, Tensor
from torch.nn.functional import silu

batch = Shape("batch", typical=((64,),), edge=((2, 3), (1,), (0,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 5))


class Gated(torch.autograd.Function):
    @staticmethod
    def forward(ctx, gate, up, mask):
        ctx.save_for_backward(gate, up, mask)
        return reference(gate, up, mask)

    @staticmethod
    def backward(ctx, grad):
        gate, up, mask = ctx.saved_tensors
        x, s = gate.double(), torch.sigmoid(gate.double())
        inner = torch.where(mask, 0, grad.double())
        found = inner * up.double() * s * (1 + x * (1 - s))
        return found.to(gate.dtype), (inner * x * s).to(up.dtype), None


def reference(gate: torch.Tensor, up: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    wide = torch.promote_types(gate.dtype, torch.float32)
    return torch.where(mask, 0, silu(gate.to(wide)) * up.to(wide)).to(gate.dtype).contiguous()


gated = Operator(
    "gated(Tensor gate, Tensor up, Tensor mask) -> Tensor",
    inputs={
        "gate": Tensor(batch, hidden, layout="copy"),
        "up": Tensor(batch, hidden, layout="copy"),
        "mask": Tensor(batch, hidden, dtype="bool", layout="copy"),
    },
    dtypes=("float32", "bfloat16"),
    reference=reference,
    function=Gated.apply,
    backward="own",
)
