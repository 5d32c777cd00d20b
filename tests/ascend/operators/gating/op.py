"""The vendor's example of verifying an operator in a SuperKernel, at small sizes: gates of a mixture of experts.

What runs on the device are kernels of the host, from Opwright's own operators built for the CPU.
"""

import ascend.aten_on_host  # noqa: F401 -- what companions are made of
import torch
from ascend.shipped import on_device
from opwright import Dim, Operator, Scalar, Tensor

tokens = Dim("tokens", typical=(24,))
experts = Dim("experts", typical=(64,))


def gates(input, k):
    wide = input.float()
    order = input.sort(dim=-1, descending=True, stable=True).indices[..., :k]
    output = torch.softmax(wide, -1).gather(-1, order).to(input.dtype)
    rows = input.shape[0]
    row = torch.arange(rows * k, device=input.device).view(k, rows).t().reshape(output.shape)
    return output, order.int(), row.int()


moe_gating = Operator(
    "ascend::moe_gating(Tensor input, int k) -> (Tensor output, Tensor expert_idx, Tensor row_idx)",
    inputs={"input": Tensor(tokens, experts)},
    outputs={
        "output": Tensor(tokens, "k"),
        "expert_idx": Tensor(tokens, "k", dtype="int32"),
        "row_idx": Tensor(tokens, "k", dtype="int32"),
    },
    dtypes=("bfloat16",),
    scalars={"k": Scalar(32)},
    constraints=("k <= experts",),
    reference=gates,
    function=on_device(
        "moe_gating_top_k_softmax", lambda op: lambda input, k: op(input, None, k), cores=8
    ),
)
