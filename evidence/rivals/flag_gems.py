"""FlagGems' operators, called as Opwright's are: https://github.com/flagos-ai/FlagGems.

None of PyTorch's operators is replaced. What has no gradients of its own there (`swish`, `layer_norm`,
`row_softmax`) is timed forward alone. Its `topk_softmax` knows no rows that are finished, and no k beyond 32:
that is not `moe_gating_top_k_softmax`.
"""

from __future__ import annotations

import flag_gems
import torch
from flag_gems.ops.add import add_func


def add2(c: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> None:
    """Into the tensor that is given."""
    add_func(a, b, 1, out0=c)


def swish(input: torch.Tensor) -> torch.Tensor:
    """Forward alone."""
    return flag_gems.silu(input)


def swiglu(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    """With gradients."""
    return flag_gems.silu_and_mul(gate, up)


def rms_norm(input: torch.Tensor, weight: torch.Tensor, eps: float = 1e-6) -> torch.Tensor:
    """With gradients."""
    return flag_gems.rms_norm(input, tuple(weight.shape), weight, eps)


def layer_norm(
    input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float = 1e-5
) -> torch.Tensor:
    """Forward alone."""
    return flag_gems.layer_norm(input, tuple(weight.shape), weight, bias, eps)[0]


def row_softmax(input: torch.Tensor) -> torch.Tensor:
    """Forward alone."""
    return flag_gems.softmax(input, -1)
