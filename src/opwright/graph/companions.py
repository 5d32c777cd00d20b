"""Known-good neighbours for an operator inside a graph: what they compute is exact in any order.

A companion in front gives the operator values that are among those which it was given; one behind takes
the operator's output. Where a compiler computes one of them otherwise than PyTorch does, that is noticed
(`opwright.graph.blame`) and not put down to the operator. They are made of operations that every compiler here
knows: Ascend's graph engine has no ``roll``, ``amax`` or ``eye``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch

_LARGEST_INT8 = 127.0


class Companion(NamedTuple):
    """``before`` takes and gives a floating-point tensor of one shape, ``after`` gives what a check compares."""

    name: str
    before: Callable[[torch.Tensor], torch.Tensor]
    after: Callable[[torch.Tensor], tuple[torch.Tensor, ...]]


def _neighbour(tensor: torch.Tensor) -> torch.Tensor:
    """The larger of each element and the one in front of it."""
    flat = tensor.reshape(-1)
    return torch.maximum(tensor, torch.cat((flat[-1:], flat[:-1])).reshape(tensor.shape))


def _halved(tensor: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return (tensor * 0.5 + 1.0,)


def _reversing(tensor: torch.Tensor) -> torch.Tensor:
    """The matrix that exchanges columns: each product has one term that is not zero."""
    places = torch.arange(tensor.shape[-1], device=tensor.device)
    return (places[:, None] + places == tensor.shape[-1] - 1).to(tensor.dtype)


def _columns_exchanged(tensor: torch.Tensor) -> torch.Tensor:
    return torch.matmul(tensor, _reversing(tensor))


def _below_the_largest(tensor: torch.Tensor) -> torch.Tensor:
    """Every element, by way of the largest of its row."""
    return torch.minimum(tensor, tensor.max(-1, keepdim=True).values)


def _ends_of_rows(tensor: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return tensor.max(-1).values, (tensor * -1.0).max(-1).values


def quantised(tensor: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Dynamic quantisation: each row in int8, with its scale."""
    scale = (tensor.abs().max(-1, keepdim=True).values / _LARGEST_INT8).clamp_min(1e-30)
    steps = (tensor / scale).round().clamp(-_LARGEST_INT8, _LARGEST_INT8)
    return torch.nan_to_num(steps, 0.0, _LARGEST_INT8, -_LARGEST_INT8).to(torch.int8), scale


def _quantised_and_back(tensor: torch.Tensor) -> torch.Tensor:
    values, scale = quantised(tensor)
    return (values * scale).to(tensor.dtype)


COMPANIONS = (
    Companion("elementwise", _neighbour, _halved),
    Companion("matmul", _columns_exchanged, lambda tensor: (_columns_exchanged(tensor),)),
    Companion("reduction", _below_the_largest, _ends_of_rows),
    Companion("quantisation", _quantised_and_back, quantised),
)


def companion_named(name: str) -> Companion:
    """The companion of that name; `KeyError` for none."""
    return {companion.name: companion for companion in COMPANIONS}[name]


def takes(tensor: torch.Tensor) -> bool:
    """Whether a companion can take the tensor: rows of real floating-point numbers."""
    return tensor.is_floating_point() and tensor.dim() >= 1 and tensor.numel() > 0
