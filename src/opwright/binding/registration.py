"""Register what an operator declares for autograd, autocast and vmap."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import torch

from opwright.spec.operator import OperatorSpec

Kernel = Callable[..., Any]

_AUTOCAST_KEYS = ("AutocastCPU", "AutocastCUDA", "AutocastPrivateUse1")


def deferred(make: Callable[[], Kernel]) -> Kernel:
    """A kernel that its first call makes: few of the operators that are loaded train, are cast or batched."""
    made: Kernel | None = None

    def kernel(*args: Any, **kwargs: Any) -> Any:
        nonlocal made
        if made is None:
            made = make()
        return made(*args, **kwargs)

    return kernel


def register_transforms(
    library: torch.library.Library,
    spec: OperatorSpec,
    overload: Any,
    backwards: Sequence[Kernel],
) -> Callable[[], Kernel | None]:
    """Add to ``library`` what ``spec`` declares; returns what makes the call that autograd records, once.

    That makes None where the binding records no call. ``backwards`` are the overloads of ``spec.backwards``.
    """
    record = cache(lambda: _record(spec, overload, backwards))

    def for_autograd() -> Kernel:
        from opwright.binding.autograd import autograd_kernel, recording_call, still_recording

        made = record()
        assert made is not None
        in_transforms = recording_call(spec, still_recording(overload), backwards)
        return autograd_kernel(spec, overload, made, in_transforms)

    def for_inference() -> Kernel:
        from opwright.binding.inference import refusing_kernel

        return refusing_kernel(spec, overload)

    def for_vmap() -> Kernel:
        from opwright.binding.batching import batching_rule

        return batching_rule(spec, overload)

    if spec.backward is None or spec.is_recorded:
        make = for_inference if spec.backward is None else for_autograd
        library.impl(spec.name, deferred(make), "Autograd")
    # PyTorch takes no rule for tensors that come by keyword alone; `vmap` is refused for them.
    by_position = not any(argument.keyword_only for argument in spec.schema.tensors)
    if by_position and (spec.vmap is not None or spec.is_recorded or spec.forward is not None):
        torch.library.register_vmap(overload, deferred(for_vmap), lib=library)
    if spec.autocast is not None:
        _register_autocast(library, spec, overload)
    return record


def _record(spec: OperatorSpec, overload: Kernel, backwards: Sequence[Kernel]) -> Kernel | None:
    if not spec.is_recorded:
        return None
    from opwright.binding.autograd import recording_call

    return recording_call(spec, overload, backwards)


def _register_autocast(
    library: torch.library.Library, spec: OperatorSpec, overload: Kernel
) -> None:
    def cast(key: str) -> Kernel:
        from opwright.binding.autocast import autocast_kernel

        return autocast_kernel(spec, overload, key)

    for key in _AUTOCAST_KEYS:
        library.impl(spec.name, deferred(partial(cast, key)), key)
