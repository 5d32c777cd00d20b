"""Gradients of an operator in the dispatcher: what autograd records, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch._functorch.utils import enable_single_level_autograd_function
from torch.autograd import forward_ad

from opwright.binding.arguments import named, refuse_absent, refuse_tangents
from opwright.binding.below import AUTOGRAD, below_autograd, entry_of, exclude, is_excluded
from opwright.binding.gradients import Gradients, taking_all
from opwright.spec.operator import OperatorSpec

Kernel = Callable[..., Any]

_is_recording = torch.is_grad_enabled


def in_order(spec: OperatorSpec, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """All arguments of a call that the dispatcher has taken, in the schema's order."""
    values = named(spec, args, kwargs)
    return [values[argument.name] for argument in spec.schema.arguments]


def autograd_kernel(
    spec: OperatorSpec, overload: Kernel, recorded: Kernel, in_transforms: Kernel
) -> Kernel:
    """What the dispatcher calls for tensors that autograd may record.

    ``in_transforms`` is what `recording_call` makes of `still_recording`.
    """
    below = below_autograd(overload)

    def kernel(*args: Any, **kwargs: Any) -> Any:
        if forward_ad._current_level >= 0:
            refuse_tangents(spec, named(spec, args, kwargs))
        if _is_recording() and torch._C._any_requires_grad(*args, **kwargs):
            if not torch._C._are_functorch_transforms_active():
                return recorded(*in_order(spec, args, kwargs))
            # The dispatcher is at one level of torch.func's, and goes on to the next below autograd.
            with enable_single_level_autograd_function():
                return in_transforms(*in_order(spec, args, kwargs))
        if is_excluded(AUTOGRAD):  # the dispatcher comes here again for a tensor that is None
            refuse_absent(spec, named(spec, args, kwargs))
        return below(*args, **kwargs)

    return kernel


def still_recording(overload: Kernel) -> Kernel:
    """``overload`` for `recording_call` in torch.func: while one level records it, the levels below do too.

    ``torch.autograd.Function`` turns grad mode off for its forward, which would reach them as well.
    """

    def call(*args: Any, **kwargs: Any) -> Any:
        with torch.enable_grad():
            return overload(*args, **kwargs)

    return call


def recording_call(spec: OperatorSpec, overload: Kernel, backwards: Sequence[Kernel]) -> Kernel:
    """``overload`` as autograd records it; takes all arguments, in the schema's order.

    ``backwards`` are the overloads of ``spec.backwards``.
    """
    kernel = taking_all(spec, entry_of(overload))
    gradients = Gradients(spec, backwards)
    save, first_order = gradients.save, gradients.of

    def forward(ctx: Any, *values: Any) -> Any:
        # Outputs of integers need no mark: autograd makes them no part of the graph.
        if is_excluded(AUTOGRAD):
            results = kernel(*values)
        else:
            exclude(AUTOGRAD, True)
            try:
                results = kernel(*values)
            finally:
                exclude(AUTOGRAD, False)
        save(ctx, values, results)
        return results

    def backward(ctx: Any, *grads: Any) -> Any:
        if _is_recording():
            return _gradients_again(spec, gradients, ctx, grads)
        return first_order(ctx, grads)

    # Made by its metaclass: the graph's node has the name that the class is made with.
    methods = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    metaclass: Any = type(torch.autograd.Function)
    node = metaclass(spec.name, (torch.autograd.Function,), methods)
    # The node calls the function itself, without the layer that looks for vjp's second name.
    node._backward_cls.apply = backward
    # Function.apply itself, without the layer that looks for functorch: that is looked for before.
    apply: Kernel = super(torch.autograd.Function, node).apply
    return apply


def _gradients_again(
    spec: OperatorSpec, gradients: Gradients, ctx: Any, grads: tuple[Any, ...]
) -> Any:
    """Gradients, where a second derivative may be asked for: right, or refused when it is asked for."""
    if gradients.is_differentiable:
        return gradients.of_recorded(ctx, grads)
    with torch.no_grad():
        found = gradients.of(ctx, grads)
    sources = [tensor for tensor in (*grads, *ctx.saved_tensors) if tensor is not None]
    refusing: Kernel = _Refusal.apply
    if not isinstance(found, tuple):
        return refusing(spec.name, found, *sources)
    return tuple(None if g is None else refusing(spec.name, g, *sources) for g in found)


class _Refusal(torch.autograd.Function):
    """A gradient that depends on its sources; who differentiates it is told that it cannot be.

    At each level of torch.func: its own ``apply`` sees to that.
    """

    @staticmethod
    def forward(_name: str, gradient: torch.Tensor, *_sources: torch.Tensor) -> torch.Tensor:
        return gradient.view_as(gradient)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], _output: Any) -> None:
        ctx.name = inputs[0]

    @staticmethod
    def vmap(_info: Any, in_dims: tuple[Any, ...], *inputs: Any) -> tuple[Any, Any]:
        refusing: Kernel = _Refusal.apply
        return refusing(*inputs), in_dims[1]

    @staticmethod
    def backward(ctx: Any, *_grads: Any) -> Any:
        raise RuntimeError(
            f"{ctx.name}: its gradient cannot be differentiated again: give its Backward "
            'double_backward="reference"'
        )
