"""Whether an output element depends on one element of an input: asked of the reference, not of the name."""

from __future__ import annotations

import torch

from opwright.inputs.call import Call, reference_results

_PROBES = 3


def is_elementwise(call: Call, name: str) -> bool:
    """Whether changing an element of argument ``name`` changes outputs only where it broadcasts to.

    Raises `ReferenceFailed` where the reference raises.
    """
    value = call.arguments[name]
    before = reference_results(call.spec, call, wide=True)
    if not before or not all(_broadcasts(value, output) for output in before):
        return False
    for probe in range(_PROBES):
        place = value.numel() * (2 * probe + 1) // (2 * _PROBES)
        changed = value.clone(memory_format=torch.contiguous_format)
        changed.view(-1)[place] += 1
        hit = torch.zeros(value.shape, dtype=torch.bool)
        hit.view(-1)[place] = True
        after = reference_results(
            call.spec, Call(call.spec, {**call.arguments, name: changed}), wide=True
        )
        for old, new in zip(before, after, strict=True):
            differ = (old != new) & ~(old.isnan() & new.isnan())
            if bool((differ & ~hit.expand(old.shape)).any()):
                return False
    return True


def _broadcasts(value: torch.Tensor, output: torch.Tensor) -> bool:
    """Whether the input has an element for each of the output's; nothing else is elementwise."""
    if value.dim() > output.dim():
        return False
    tail = output.shape[output.dim() - value.dim() :]
    return all(size in (1, out) for size, out in zip(value.shape, tail, strict=True))
