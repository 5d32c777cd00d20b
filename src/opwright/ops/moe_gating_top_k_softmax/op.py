"""Gates of a mixture of experts: softmax over the experts, and the k largest of each row.

As torch_npu.npu_moe_gating_top_k_softmax. Of equal inputs the expert with the lower index comes first; a row
that is finished has the number of experts for each index; row_idx numbers the places k-major.
"""

import torch
from opwright import Dim, Operator, Scalar, Shape, Tensor

batch = Shape("batch", typical=((1024,), (8, 128)), edge=((), (0,), (1,), (3,), (2, 3), (1_025,)))
experts = Dim("experts", typical=(64, 256), edge=(1, 2, 31, 65, 2_049, 4_100))


def reference(
    input: torch.Tensor, finished: torch.Tensor | None = None, k: int = 1
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    wide = torch.promote_types(input.dtype, torch.float32)
    gates = torch.softmax(input.to(wide), -1)
    # The inputs' order is that of the gates, without those that became equal by rounding.
    expert_idx = input.sort(dim=-1, descending=True, stable=True).indices[..., :k]
    output = gates.gather(-1, expert_idx).to(input.dtype)
    if finished is not None:
        expert_idx = expert_idx.masked_fill(finished[..., None], input.shape[-1])
    rows = input[..., 0].numel()
    row_idx = torch.arange(rows * k, device=input.device).view(k, rows).t().reshape(output.shape)
    return output, expert_idx.int(), row_idx.int()


moe_gating_top_k_softmax = Operator(
    "moe_gating_top_k_softmax(Tensor input, Tensor? finished=None, int k=1)"
    " -> (Tensor output, Tensor expert_idx, Tensor row_idx)",
    inputs={
        "input": Tensor(batch, experts, layout="copy"),
        "finished": Tensor(batch, dtype="bool", layout="copy"),
    },
    outputs={
        "output": Tensor(batch, "k"),
        "expert_idx": Tensor(batch, "k", dtype="int32"),
        "row_idx": Tensor(batch, "k", dtype="int32"),
    },
    dtypes=("float32", "bfloat16", "float16"),
    scalars={"k": Scalar(1, 2, 8, 50, minimum=1)},
    constraints=("k <= experts",),
    reference=reference,
    sources={
        "cpu": "moe_gating_top_k_softmax.cpp",
        "cuda": "moe_gating_top_k_softmax.cu",
        "hip": "moe_gating_top_k_softmax.cu",
    },
    reduction="experts",
    autocast="float32",
)
