"""The operator of the vendor's example, described as its users would: gates of a mixture of experts.

The sizes are small. What runs below torch-npu's operator is a kernel of the host.
"""

import ascend.aten_on_host
import ascend.ge_on_host
import ascend.npu_on_host  # noqa: F401 -- for its registrations, as the two before it
import torch
from opwright import Dim, Operator, Scalar, Tensor

tokens = Dim("tokens", typical=(24,))
experts = Dim("experts", typical=(64,))


def gates(input, k):
    order = input.sort(dim=-1, descending=True, stable=True).indices[..., :k]
    output = torch.softmax(input.float(), -1).gather(-1, order).to(input.dtype)
    rows = input.shape[0]
    row = torch.arange(rows * k, device=input.device).view(k, rows).t().reshape(output.shape)
    return output, order.int(), row.int()


def on_npu(input, k):
    return torch.ops.npu.npu_moe_gating_top_k_softmax(input, None, k)


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
    function=on_npu,
)
