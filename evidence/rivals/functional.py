"""PyTorch's own functions, where a reference is written out instead.

The other references (`add2`, `rms_norm`, `layer_norm`, `row_softmax`, `bias_gelu`) call PyTorch's function
already: their column is that of eager.
"""

from __future__ import annotations

import torch
from torch.nn import functional


def swish(input: torch.Tensor) -> torch.Tensor:
    """One kernel."""
    return functional.silu(input)


def swiglu(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    """Two kernels; half types are rounded between them."""
    return functional.silu(gate) * up


def moe_gating_top_k_softmax(
    input: torch.Tensor, finished: torch.Tensor | None = None, k: int = 1
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """By `torch.topk` instead of a stable sort: which of equal inputs comes first is left open."""
    gates = torch.softmax(input, -1, dtype=torch.float32)
    output, expert_idx = gates.topk(k, dim=-1)
    if finished is not None:
        expert_idx = expert_idx.masked_fill(finished[..., None], input.shape[-1])
    rows = input[..., 0].numel()
    row_idx = torch.arange(rows * k, device=input.device, dtype=torch.int32).view(k, rows).t()
    return output.to(input.dtype), expert_idx.int(), row_idx.reshape(output.shape)
