"""Liger-Kernel's operators, called as Opwright's are: https://github.com/linkedin/Liger-Kernel."""

from __future__ import annotations

import torch
from liger_kernel.ops.layer_norm import LigerLayerNormFunction
from liger_kernel.ops.rms_norm import LigerRMSNormFunction
from liger_kernel.ops.softmax import LigerSoftmaxFunction
from liger_kernel.ops.swiglu import LigerSiLUMulFunction


def swiglu(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    """Its gradients are written over the arguments."""
    return LigerSiLUMulFunction.apply(gate, up)


def rms_norm(input: torch.Tensor, weight: torch.Tensor, eps: float = 1e-6) -> torch.Tensor:
    """In its mode that computes as `F.rms_norm` does, and leaves incoming gradients alone."""
    return LigerRMSNormFunction.apply(input, weight, eps, 0.0, "gemma", False)


def layer_norm(
    input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float = 1e-5
) -> torch.Tensor:
    """Layer norm along the last dimension."""
    return LigerLayerNormFunction.apply(input, weight, bias, eps)


def row_softmax(input: torch.Tensor) -> torch.Tensor:
    """Softmax along the last dimension."""
    return LigerSoftmaxFunction.apply(input)
