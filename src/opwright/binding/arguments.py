"""The arguments of a call as Python kernels see them: by name, and whether autograd records them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import torch
from torch.autograd import forward_ad

from opwright.binding.below import AUTOGRAD, exclude, is_excluded
from opwright.spec.operator import OperatorSpec


def named(spec: OperatorSpec, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Arguments by name. PyTorch leaves out those that have their default value: they are put back."""
    values = {a.name: a.default for a in spec.schema.arguments if a.has_default}
    values |= {a.name: v for a, v in zip(spec.schema.arguments, args, strict=False)}
    return values | kwargs


def refuse_absent(spec: OperatorSpec, values: Mapping[str, Any]) -> None:
    """Raise for None in place of a tensor, which the dispatcher lets through. Bindings say the same."""
    for argument in spec.schema.required_tensors:
        if values[argument.name] is None:
            raise RuntimeError(
                f"{spec.name}: argument `{argument.name}`: expected a tensor, got None"
            )


def refuse_gradients(spec: OperatorSpec, values: Mapping[str, Any]) -> None:
    """Raise where autograd would record a tensor, and the operator has no backward. Bindings say the same."""
    if spec.backward is not None or not torch.is_grad_enabled():
        return
    for name, value in values.items():
        if isinstance(value, torch.Tensor) and value.requires_grad:
            raise RuntimeError(
                f"{spec.name}: argument `{name}` requires grad, and the operator has no backward: "
                "call it under torch.no_grad(), or detach the argument"
            )


def refuse_tangents(spec: OperatorSpec, values: Mapping[str, Any]) -> None:
    """Raise for a tensor that carries a forward-mode gradient: no operator hands it on."""
    for name, value in values.items():
        if isinstance(value, torch.Tensor) and _has_tangent(value):
            raise RuntimeError(
                f"{spec.name}: argument `{name}` has a forward-mode gradient, and the operator has no "
                "such formula: use reverse mode"
            )


def _has_tangent(tensor: torch.Tensor) -> bool:
    return forward_ad._current_level >= 0 and forward_ad.unpack_dual(tensor).tangent is not None


def _uncast(values: Iterable[Any]) -> AbstractContextManager[Any]:
    """Autocast off for what a kernel calls: its arguments are cast already, as the operator declares."""
    if not torch._C._is_any_autocast_enabled():
        return nullcontext()
    device = next(v.device.type for v in values if isinstance(v, torch.Tensor))
    return torch.autocast(device, enabled=False)


@contextmanager
def _no_grad() -> Iterator[None]:
    """Grad mode off, for a backward: it may compute again what it needs, and ask autograd for its gradient.

    So autograd has to be there, although the backward was called below it.
    """
    excluded = is_excluded(AUTOGRAD)
    exclude(AUTOGRAD, False)
    try:
        with torch.no_grad():
            yield
    finally:
        exclude(AUTOGRAD, excluded)


def recording_from(spec: OperatorSpec, function: Callable[..., Any]) -> Callable[..., Any]:
    """A Python function that autograd records by itself: with every argument, as `kernel_from` calls it."""

    def kernel(*args: Any, **kwargs: Any) -> Any:
        values = named(spec, args, kwargs)
        refuse_absent(spec, values)
        positional, keywords = spec.schema.as_call(values)
        return function(*positional, **keywords)

    return kernel


def kernel_from(spec: OperatorSpec, function: Callable[..., Any]) -> Callable[..., Any]:
    """A Python function as a kernel: with every argument, unseen by autograd, its writes counted."""
    written = [argument.name for argument in spec.schema.tensors if argument.mutated]
    unseen = _no_grad if spec.forward is not None else torch._C._AutoDispatchBelowAutograd

    def kernel(*args: Any, **kwargs: Any) -> Any:
        values = named(spec, args, kwargs)
        refuse_gradients(spec, values)
        positional, keywords = spec.schema.as_call(values)
        with unseen(), _uncast(values.values()):
            result = function(*positional, **keywords)
        torch.autograd.graph.increment_version([values[name] for name in written])
        return result

    return kernel
