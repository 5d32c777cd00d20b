"""What an output is before its values are looked at: how many, shape, dtype, device, layout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from opwright.judge.verdict import Reason


def as_outputs(value: Any) -> tuple[Any, ...]:
    """What a call returned as a tuple of outputs; None is no output."""
    if value is None:
        return ()
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def compare_structure(
    actual: Any,
    expected: Any,
    *,
    names: Sequence[str] = (),
    device: torch.device | str | None = None,
    strides: Sequence[tuple[int, ...] | None] = (),
) -> list[Reason]:
    """Everything in which ``actual`` differs from ``expected`` before values count.

    Outputs have to be on ``device``, or where ``expected`` is. Strides are compared only where
    ``strides`` gives them for an output: a reference's strides are no contract.
    """
    got, wanted = as_outputs(actual), as_outputs(expected)
    if len(got) != len(wanted):
        message = f"{len(got)} outputs, expected {len(wanted)}"
        return [Reason("outputs", message)]
    reasons = []
    for position, (one, other) in enumerate(zip(got, wanted, strict=True)):
        where = torch.device(device) if device is not None else other.device
        layout = strides[position] if position < len(strides) else None
        reasons += [
            Reason(kind, f"{output_name(position, names)}: {message}", position)
            for kind, message in _differences(one, other, where, layout)
        ]
    return reasons


def output_name(position: int, names: Sequence[str]) -> str:
    """What messages call an output."""
    return names[position] if position < len(names) else f"output {position}"


def _differences(
    actual: Any, expected: torch.Tensor, device: torch.device, strides: tuple[int, ...] | None
) -> list[tuple[str, str]]:
    if not isinstance(actual, torch.Tensor):
        return [("outputs", f"a {type(actual).__name__}, expected a tensor")]
    found = []
    if actual.shape != expected.shape:
        found.append(("shape", f"shape {list(actual.shape)}, expected {list(expected.shape)}"))
    if actual.dtype != expected.dtype:
        found.append(("dtype", f"dtype {actual.dtype}, expected {expected.dtype}"))
    if not _same_device(actual.device, device):
        found.append(("device", f"device {actual.device}, expected {device}"))
    if actual.layout != expected.layout:
        found.append(("layout", f"layout {actual.layout}, expected {expected.layout}"))
    elif (
        strides is not None
        and actual.shape == expected.shape
        and not _same_strides(actual, strides)
    ):
        found.append(("strides", f"strides {list(actual.stride())}, expected {list(strides)}"))
    return found


def _same_device(one: torch.device, other: torch.device) -> bool:
    # "cuda" without an index is any of them
    return one.type == other.type and (None in {one.index, other.index} or one.index == other.index)


def _same_strides(actual: torch.Tensor, strides: tuple[int, ...]) -> bool:
    """Strides of dims with one element, and of empty tensors, address nothing."""
    if not actual.numel():
        return True
    pairs = zip(actual.shape, actual.stride(), strides, strict=True)
    return all(size == 1 or got == wanted for size, got, wanted in pairs)
