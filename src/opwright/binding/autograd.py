"""Gradients of an operator in the dispatcher: what is saved, which backward is asked, what is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch._functorch.utils import enable_single_level_autograd_function
from torch.autograd import forward_ad

from opwright.binding.arguments import named, refuse_tangents
from opwright.spec.backward import GRAD
from opwright.spec.operator import OperatorSpec

_AUTOGRAD = torch._C.DispatchKey.AutogradFunctionality
_is_excluded = torch._C._dispatch_tls_is_dispatch_key_excluded
_exclude = torch._C._dispatch_tls_set_dispatch_key_excluded

Kernel = Callable[..., Any]


def below_autograd(overload: Kernel) -> Kernel:
    """``overload``, called where autograd does not look: the kernel itself, with its contract.

    What ``torch._C._AutoDispatchBelowAutograd`` does for dense tensors, in half its time.
    """

    def call(*args: Any, **kwargs: Any) -> Any:
        if _is_excluded(_AUTOGRAD):
            return overload(*args, **kwargs)
        _exclude(_AUTOGRAD, True)
        try:
            return overload(*args, **kwargs)
        finally:
            _exclude(_AUTOGRAD, False)

    return call


def in_order(spec: OperatorSpec) -> Callable[[tuple[Any, ...], dict[str, Any]], list[Any]]:
    """From a call's arguments to all of them, in the schema's order."""
    names = [argument.name for argument in spec.schema.arguments]

    def order(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        values = named(spec, args, kwargs)
        return [values[name] for name in names]

    return order


def autograd_kernel(spec: OperatorSpec, overload: Kernel, recorded: Kernel) -> Kernel:
    """What the dispatcher calls for tensors that autograd may record."""
    below, order = below_autograd(overload), in_order(spec)

    def kernel(*args: Any, **kwargs: Any) -> Any:
        if forward_ad._current_level >= 0:
            refuse_tangents(spec, named(spec, args, kwargs))
        if torch.is_grad_enabled() and torch._C._any_requires_grad(*args, **kwargs):
            if not torch._C._are_functorch_transforms_active():
                return recorded(*order(args, kwargs))
            # The dispatcher is at one level of torch.func's, and goes on to the next below autograd.
            with enable_single_level_autograd_function():
                return recorded(*order(args, kwargs))
        return below(*args, **kwargs)

    return kernel


def recorded(spec: OperatorSpec, overload: Kernel, backwards: Sequence[Kernel]) -> Kernel:
    """``overload`` as autograd records it; takes all arguments, in the schema's order.

    ``backwards`` are the overloads of ``spec.backwards``.
    """
    kernel = _taking_all(spec, below_autograd(overload))
    gradients = _Gradients(spec, backwards)
    whole = tuple(i for i, dtype in enumerate(_output_dtypes(spec)) if not _is_continuous(dtype))

    class Recorded(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *values: Any) -> Any:
            results = kernel(*values)
            gradients.save(ctx, values, results)
            if whole:
                ctx.mark_non_differentiable(*(results[i] for i in whole))
            return results

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            if torch.is_grad_enabled():
                return gradients.differentiable(ctx, grads)
            return gradients.of(ctx, grads)

    Recorded.__name__ = spec.name
    # Function.apply itself, without the layer that looks for functorch: that is looked for before.
    apply: Kernel = super(torch.autograd.Function, Recorded).apply
    return apply


class _Refusal(torch.autograd.Function):
    """A gradient that depends on its sources; who differentiates it is told that it cannot be."""

    @staticmethod
    def forward(
        ctx: Any, name: str, gradient: torch.Tensor, *_sources: torch.Tensor
    ) -> torch.Tensor:
        ctx.name = name
        return gradient.view_as(gradient)

    @staticmethod
    def backward(ctx: Any, *_grads: Any) -> Any:
        raise RuntimeError(
            f"{ctx.name}: its gradient cannot be differentiated again: give its Backward "
            'double_backward="reference"'
        )


_refusing: Kernel = super(torch.autograd.Function, _Refusal).apply


class _Step:
    """One backward: where each of its arguments comes from, and which gradients it gives."""

    def __init__(self, spec: OperatorSpec, backward: OperatorSpec, overload: Kernel) -> None:
        self.gives = tuple(item.name.removeprefix(GRAD) for item in backward.schema.returns)
        self.is_differentiable = backward.backward is not None
        self.overload = _taking_all(backward, overload)
        # A function may ask autograd itself; a kernel does not.
        below = overload if backward.function is not None else below_autograd(overload)
        self.below = _taking_all(backward, below)
        own = {argument.name: i for i, argument in enumerate(spec.schema.arguments)}
        returns = {item.name: i for i, item in enumerate(spec.schema.returns)}
        # ("grad" | "input" | "output", its number) for each argument, in order
        self.takes: list[tuple[str, int]] = []
        for argument in backward.schema.arguments:
            if argument.name in own:
                self.takes.append(("input", own[argument.name]))
            elif argument.name in returns:
                self.takes.append(("output", returns[argument.name]))
            else:
                self.takes.append(("grad", returns[argument.name.removeprefix(GRAD)]))


class _Gradients:
    """The backwards of an operator, and what is kept for them from the forward call."""

    def __init__(self, spec: OperatorSpec, backwards: Sequence[Kernel]) -> None:
        self.spec = spec
        self.steps = [
            _Step(spec, b, call) for b, call in zip(spec.backwards, backwards, strict=True)
        ]
        self.arguments = [argument.name for argument in spec.schema.arguments]
        tensors = [argument.is_tensor for argument in spec.schema.arguments]
        taken = dict.fromkeys(place for step in self.steps for place in step.takes)
        self.saved = [p for p in taken if p[0] == "output" or (p[0] == "input" and tensors[p[1]])]
        self.scalars = [p for p in taken if p[0] == "input" and not tensors[p[1]]]
        self.is_differentiable = all(step.is_differentiable for step in self.steps)
        self._chosen: dict[tuple[bool, ...], list[tuple[_Step, list[tuple[int, int]]]]] = {}

    def save(self, ctx: Any, values: Sequence[Any], results: Any) -> None:
        """Keep tensors where autograd watches their versions, scalars as they are."""
        outputs = results if isinstance(results, tuple) else (results,)
        ctx.save_for_backward(
            *[values[i] if kind == "input" else outputs[i] for kind, i in self.saved]
        )
        ctx.scalars = [values[i] for _, i in self.scalars]

    def of(self, ctx: Any, grads: Sequence[Any], *, record: bool = False) -> tuple[Any, ...]:
        """The gradient of each argument, None for those that need none."""
        known = dict(zip(self.saved, ctx.saved_tensors, strict=True))
        known.update(zip(self.scalars, ctx.scalars, strict=True))
        found: list[Any] = [None] * len(self.arguments)
        for step, places in self._steps_for(ctx.needs_input_grad):
            call = step.overload if record else step.below
            made = call(*[grads[i] if kind == "grad" else known[kind, i] for kind, i in step.takes])
            results = made if isinstance(made, (tuple, list)) else (made,)
            for argument, result in places:
                found[argument] = results[result]
        return tuple(found)

    def differentiable(self, ctx: Any, grads: Sequence[Any]) -> tuple[Any, ...]:
        """As `of`, where a second derivative may be asked for: right, or refused when it is asked for."""
        if self.is_differentiable:
            return self.of(ctx, grads, record=True)
        with torch.no_grad():
            found = self.of(ctx, grads)
        sources = [t for t in (*grads, *ctx.saved_tensors) if t is not None and t.requires_grad]
        if not sources:
            return found
        with (
            enable_single_level_autograd_function()
        ):  # torch.func asks for every gradient like this
            return tuple(
                None if tensor is None else _refusing(self.spec.name, tensor, *sources)
                for tensor in found
            )

    def _steps_for(self, needs: tuple[bool, ...]) -> list[tuple[_Step, list[tuple[int, int]]]]:
        """The backwards to ask, each with (argument, number of its result): few, and of little too much."""
        if needs not in self._chosen:
            wanted = {n for n, need in zip(self.arguments, needs, strict=True) if need}
            chosen = []
            while wanted:
                step = max(self.steps, key=lambda s: (len(wanted & set(s.gives)), -len(s.gives)))
                places = [
                    (self.arguments.index(name), i)
                    for i, name in enumerate(step.gives)
                    if name in wanted
                ]
                if not places:
                    break  # an argument without a continuous dtype
                chosen.append((step, places))
                wanted -= set(step.gives)
            self._chosen[needs] = chosen
        return self._chosen[needs]


def _taking_all(spec: OperatorSpec, call: Kernel) -> Kernel:
    """``call`` for all arguments by position, those that the schema has as keywords too."""
    arguments = spec.schema.arguments
    keywords = [argument.name for argument in arguments if argument.keyword_only]
    if not keywords:
        return call
    positional = len(arguments) - len(keywords)
    return lambda *values: call(
        *values[:positional], **dict(zip(keywords, values[positional:], strict=True))
    )


def _output_dtypes(spec: OperatorSpec) -> list[str]:
    """A dtype for each return: that of its variable's first choice where it varies."""
    variables = {variable.name: variable.dtypes[0] for variable in spec.type_variables}
    named_dtypes = [spec.dtype_of(tensor) for tensor in spec.outputs]
    return [variables.get(name, name) for name in named_dtypes]


def _is_continuous(dtype: str) -> bool:
    kind: torch.dtype = getattr(torch, dtype)
    return kind.is_floating_point or kind.is_complex
