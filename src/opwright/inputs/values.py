"""How elements are drawn: seeded, within the range that the description gives."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from opwright.spec.tensor import Tensor

_INTEGER_RANGE = (-8, 8)


def draw(
    sizes: Sequence[int], dtype: torch.dtype, tensor: Tensor, generator: torch.Generator
) -> torch.Tensor:
    """A dense tensor of random elements: normal, or uniform where the description gives a range."""
    if dtype == torch.bool:
        return torch.rand(sizes, generator=generator) < 0.5
    if not (dtype.is_floating_point or dtype.is_complex):
        low, high = tensor.range or _INTEGER_RANGE
        if not dtype.is_signed:
            low = max(low, 0)
        return torch.randint(int(low), int(high) + 1, tuple(sizes), generator=generator).to(dtype)
    if dtype.is_complex:
        parts = torch.randn((*sizes, 2), generator=generator, dtype=torch.float64)
        return torch.view_as_complex(parts).to(dtype)
    if tensor.range is None:
        return torch.randn(sizes, generator=generator, dtype=torch.float32).to(dtype)
    low, high = tensor.range
    return (torch.rand(sizes, generator=generator) * (high - low) + low).to(dtype)
