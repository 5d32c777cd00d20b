"""Register what an operator declares for autograd, autocast and vmap."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from opwright.binding.autocast import AUTOCAST_KEYS, autocast_kernel
from opwright.binding.autograd import autograd_kernel, recorded, still_recording
from opwright.binding.batching import batching_rule
from opwright.spec.operator import OperatorSpec


def register_transforms(
    library: torch.library.Library,
    spec: OperatorSpec,
    overload: Any,
    backwards: Sequence[Callable[..., Any]],
) -> Callable[..., Any] | None:
    """Add to ``library`` what ``spec`` declares; returns the call that autograd records, None for none."""
    record = recorded(spec, overload, backwards) if spec.backwards else None
    if record is not None:
        in_transforms = recorded(spec, still_recording(overload), backwards)
        kernel = autograd_kernel(spec, overload, record, in_transforms)
        library.impl(spec.name, kernel, "Autograd")
    if spec.vmap is not None or spec.backwards or spec.forward is not None:
        torch.library.register_vmap(overload, batching_rule(spec, overload), lib=library)
    if spec.autocast is not None:
        for dispatch_key, (key, _) in AUTOCAST_KEYS.items():
            library.impl(spec.name, autocast_kernel(spec, overload, dispatch_key), key)
    return record
