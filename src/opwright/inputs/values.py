"""How elements are drawn: seeded, within the range that the description gives."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from opwright.spec.tensor import Tensor

_INTEGER_RANGE = (-8, 8)


def draw(
    sizes: Sequence[int], dtype: torch.dtype, tensor: Tensor, generator: torch.Generator
) -> torch.Tensor:
    """A dense tensor of random elements: normal, or uniform where the description gives a range.

    It is where the generator is.
    """
    place = generator.device
    if dtype == torch.bool:
        return torch.rand(sizes, generator=generator, device=place) < 0.5
    if not (dtype.is_floating_point or dtype.is_complex):
        low, high = tensor.range or _INTEGER_RANGE
        if not dtype.is_signed:
            low = max(low, 0)
        drawn = torch.randint(
            int(low), int(high) + 1, tuple(sizes), generator=generator, device=place
        )
        return drawn.to(dtype)
    if dtype.is_complex:
        parts = torch.randn((*sizes, 2), generator=generator, dtype=torch.float64, device=place)
        return torch.view_as_complex(parts).to(dtype)
    if tensor.range is None:
        return torch.randn(sizes, generator=generator, dtype=torch.float32, device=place).to(dtype)
    low, high = tensor.range
    return (torch.rand(sizes, generator=generator, device=place) * (high - low) + low).to(dtype)


# Other magnitudes than drawn ones: factors, where the description leaves room for them.
MAGNITUDES = {"large": 16.0, "small": 2.0**-12}


def has_room(tensor: Tensor, values: str) -> bool:
    """Whether a tensor of floating-point numbers can have them in a magnitude of `MAGNITUDES`.

    A declared range is drawn from evenly, so that it has large numbers already, and hardly any small ones.
    """
    low, high = tensor.range or (-1.0, 1.0)
    return low <= 0.0 <= high and (values == "small" or tensor.range is None)


# Simpler than drawn values, simplest first: what `of_kind` knows beside "normal".
SIMPLE_VALUES = ("zeros", "ones", "counted", "rounded")


def of_kind(drawn: torch.Tensor, values: str, tensor: Tensor) -> torch.Tensor:
    """The tensor with elements of a kind of `SIMPLE_VALUES` or `MAGNITUDES` that its description allows."""
    if values in MAGNITUDES and (drawn.dtype.is_floating_point or drawn.dtype.is_complex):
        return drawn * MAGNITUDES[values] if has_room(tensor, values) else drawn
    if values not in SIMPLE_VALUES:
        return drawn
    if values == "rounded":
        simple = drawn.round() if drawn.dtype.is_floating_point else drawn
    else:
        counted = torch.arange(drawn.numel()).view(drawn.shape) % (
            2 if drawn.dtype == torch.bool else 5
        )
        fill = {"zeros": torch.zeros_like(counted), "ones": torch.ones_like(counted)}
        simple = fill.get(values, counted).to(drawn.dtype)
    if tensor.range is None or drawn.dtype.is_complex or drawn.dtype == torch.bool:
        return simple
    return simple.clamp(*tensor.range).to(drawn.dtype)


def draw_text(sizes: Sequence[int], dtype: torch.dtype, tensor: Tensor, values: str) -> str:
    """What `draw` and `MAGNITUDES` make, as an expression in Python with a ``generator`` of torch's at hand."""
    drawn = _draw_text(sizes, dtype, tensor)
    floating = dtype.is_floating_point or dtype.is_complex
    if values in MAGNITUDES and floating and has_room(tensor, values):
        return f"{drawn} * {MAGNITUDES[values]!r}"
    return drawn


def _draw_text(sizes: Sequence[int], dtype: torch.dtype, tensor: Tensor) -> str:
    shape, draws = list(sizes), "generator=generator"
    if dtype == torch.bool:
        return f"torch.rand({shape}, {draws}) < 0.5"
    if not (dtype.is_floating_point or dtype.is_complex):
        low, high = tensor.range or _INTEGER_RANGE
        low = low if dtype.is_signed else max(low, 0)
        return f"torch.randint({int(low)}, {int(high) + 1}, {tuple(shape)}, {draws}).to({dtype})"
    if dtype.is_complex:
        parts = f"torch.randn({[*shape, 2]}, {draws}, dtype=torch.float64)"
        return f"torch.view_as_complex({parts}).to({dtype})"
    if tensor.range is None:
        return f"torch.randn({shape}, {draws}, dtype=torch.float32).to({dtype})"
    low, high = tensor.range
    return f"(torch.rand({shape}, {draws}) * ({high} - {low}) + {low}).to({dtype})"
