"""The quickest way from Python to an operator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.autograd import forward_ad

from opwright.binding.library import Library
from opwright.spec.operator import OWN, OperatorSpec

Kernel = Callable[..., Any]

_is_recording, _set_recording = torch.is_grad_enabled, torch._C._set_grad_enabled
_any_requires_grad = torch._C._any_requires_grad
_transforms_are_active = torch._C._are_functorch_transforms_active


def quick_call(
    spec: OperatorSpec,
    overload: Kernel,
    record: Kernel | None = None,
    library: Library | None = None,
) -> Kernel:
    """``overload``, called in no-grad mode where autograd would record nothing anyway.

    ``record`` is the call that autograd records, None where there is none. Over the stable C ABI a
    binding pays 1 µs a tensor to learn whether it requires grad; Python knows at once. What goes below
    autograd from here passes by the kernel that refuses forward-mode gradients: they are refused here, too.
    ``library`` is one that may have a function for calls of which nothing is recorded; torch.compile cannot
    look into that.
    """
    if spec.backward == OWN:
        return overload
    learns = record is not None
    careful = _learning(spec, overload, record) if record else _inferring(spec, overload)
    if library is None:
        return careful
    from opwright.binding.native_call import native_call  # a Python function needs none

    # Where nothing is recorded autocast casts below, too.
    casts = learns and spec.autocast is not None
    return native_call(overload, careful, library, learns=learns, casts=casts)


def _inferring(spec: OperatorSpec, overload: Kernel) -> Kernel:
    from opwright.binding.below import below_autograd

    is_compiling, below = torch.compiler.is_compiling, below_autograd(overload)

    def call(*args: Any, **kwargs: Any) -> Any:
        if is_compiling() or _transforms_are_active():
            return overload(*args, **kwargs)  # the kernel for autograd refuses what this one does
        if forward_ad._current_level >= 0:
            _refuse(spec, args, kwargs)
        if not _is_recording():
            return below(*args, **kwargs)
        if _any_requires_grad(*args, **kwargs):
            _refuse(spec, args, kwargs)
        _set_recording(False)
        try:
            return below(*args, **kwargs)
        finally:
            _set_recording(True)

    return call


def _learning(spec: OperatorSpec, overload: Kernel, record: Kernel) -> Kernel:
    from opwright.binding.below import AUTOGRAD, entry_of, exclude, is_excluded

    entry = entry_of(overload)
    least, most, defaults = _by_position(spec)
    count = len(defaults) if most == len(defaults) else -1
    is_compiling, is_cast = torch.compiler.is_compiling, _autocast_matters(spec)
    numbers = [(i, a.name) for i, a in enumerate(spec.schema.arguments) if not a.is_tensor]

    def call(*args: Any, **kwargs: Any) -> Any:
        if is_compiling() or _transforms_are_active() or is_cast():
            return overload(*args, **kwargs)  # the dispatcher's kernels see to all three
        if forward_ad._current_level >= 0:
            _refuse(spec, args, kwargs)
        if _is_recording() and _any_requires_grad(*args, **kwargs):
            if numbers:
                _refuse_learned(spec, numbers, args, kwargs)
            given = len(args)
            if given == count and not kwargs:
                return record(*args)
            if least <= given <= most and not kwargs:
                return record(*args, *defaults[given:])
            return entry(*args, **kwargs)  # the dispatcher puts them in order, or refuses them
        if is_excluded(AUTOGRAD):
            return entry(*args, **kwargs)
        exclude(AUTOGRAD, True)
        try:
            return entry(*args, **kwargs)
        finally:
            exclude(AUTOGRAD, False)

    return call


def _refuse_learned(
    spec: OperatorSpec,
    numbers: Sequence[tuple[int, str]],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> None:
    """Raise where a tensor that asks for a gradient is given for a number: it would never get one."""
    for place, name in numbers:
        value = args[place] if place < len(args) else kwargs.get(name)
        if isinstance(value, torch.Tensor) and value.requires_grad:
            raise RuntimeError(
                f"{spec.name}: argument `{name}` requires grad, and it is a number, which has no gradient: "
                "detach it, or describe it as a Tensor"
            )


def _by_position(spec: OperatorSpec) -> tuple[int, int, tuple[Any, ...]]:
    """How many arguments by position make a whole call, at least and at most, and all defaults."""
    arguments = spec.schema.arguments
    most = sum(not argument.keyword_only for argument in arguments)
    needed = [i for i, argument in enumerate(arguments) if not argument.has_default]
    return max(needed) + 1, most, tuple(argument.default for argument in arguments)


def _autocast_matters(spec: OperatorSpec) -> Callable[[], bool]:
    return bool if spec.autocast is None else torch._C._is_any_autocast_enabled


def _refuse(spec: OperatorSpec, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raise for a gradient that would be lost."""
    # Who is refused has time.
    from opwright.binding.arguments import named, refuse_gradients, refuse_tangents

    values = named(spec, args, kwargs)
    refuse_gradients(spec, values)
    refuse_tangents(spec, values)
