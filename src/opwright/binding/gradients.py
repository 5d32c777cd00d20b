"""What an operator's backwards are asked: which of them, with what, for the gradients that a call needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

import torch

from opwright.binding.below import below_autograd
from opwright.spec.backward import GRAD
from opwright.spec.operator import OWN, OperatorSpec

Kernel = Callable[..., Any]
Values = tuple[Any, ...]
Place = tuple[str, int]  # "grad", "input" or "output", and its number


class Gradients:
    """The backwards of an operator, and what is kept for them from the forward call.

    ``backwards`` are the overloads of ``spec.backwards``.
    """

    def __init__(self, spec: OperatorSpec, backwards: Sequence[Kernel]) -> None:
        self.arguments = [argument.name for argument in spec.schema.arguments]
        taken = [_places(spec, backward) for backward in spec.backwards]
        once = dict.fromkeys(place for places in taken for place in places if place[0] != "grad")
        is_tensor = [argument.is_tensor for argument in spec.schema.arguments]
        saved = [p for p in once if p[0] == "output" or is_tensor[p[1]]]
        scalars = [p for p in once if p not in saved]
        count = len(self.arguments)
        #: (ctx, values, results): keep what backwards take, for `of`
        self.save = _saver([i if kind == "input" else count + i for kind, i in saved], count)
        if scalars:
            self.save = _scalar_saver(self.save, _pick([i for _, i in scalars]))
        self._has_scalars = bool(scalars)
        # A backward takes from (*incoming gradients, *saved tensors, *scalars).
        pool = [*(("grad", i) for i in range(len(spec.schema.returns))), *saved, *scalars]
        self._steps: list[_Step | _Unchanged] = [
            _Step(backward, call, [pool.index(place) for place in places], len(pool))
            for backward, call, places in zip(spec.backwards, backwards, taken, strict=True)
        ]
        returns = [item.name for item in spec.schema.returns]
        self._steps += [
            _Unchanged(name, pool.index(("grad", returns.index(returned))))
            for name, returned in spec.unchanged.items()
        ]
        self.is_differentiable = all(step.is_differentiable for step in self._steps)
        self._plans: dict[Values, Kernel] = {}
        self._recorded_plans: dict[Values, Kernel] = {}

    def of(self, ctx: Any, grads: Values) -> Any:
        """The gradient of each argument, None for those that need none."""
        pool = grads + ctx.saved_tensors
        if self._has_scalars:
            pool += ctx.scalars
        needs = ctx.needs_input_grad
        plan = self._plans.get(needs)
        if plan is None:
            plan = self._plans[needs] = self._plan(needs, record=False)
        return plan(pool)

    def of_recorded(self, ctx: Any, grads: Values) -> Any:
        """As `of`, while autograd records the backwards."""
        pool = grads + ctx.saved_tensors + (ctx.scalars if self._has_scalars else ())
        needs = ctx.needs_input_grad
        if needs not in self._recorded_plans:
            self._recorded_plans[needs] = self._plan(needs, record=True)
        return self._recorded_plans[needs](pool)

    def _plan(self, needs: Values, *, record: bool) -> Kernel:
        """From a pool to gradients, by few backwards, and by such as compute little too much."""
        wanted = {n for n, need in zip(self.arguments, needs, strict=True) if need}
        chosen: list[tuple[_Step | _Unchanged, dict[int, int]]] = []
        while wanted:
            step = max(self._steps, key=lambda s: (len(wanted & set(s.gives)), -len(s.gives)))
            places = {
                self.arguments.index(name): i for i, name in enumerate(step.gives) if name in wanted
            }
            chosen.append((step, places))
            wanted -= set(step.gives)
        if len(chosen) == 1 and len(chosen[0][0].gives) == 1:
            step, places = chosen[0]
            return _single(step.asked(record), next(iter(places)), len(self.arguments))
        return _several([(s.asked(record), places) for s, places in chosen], len(self.arguments))


class _Step:
    """One backward: which gradients it gives, and what it takes of a pool."""

    def __init__(
        self, backward: OperatorSpec, overload: Kernel, takes: list[int], size: int
    ) -> None:
        self.gives = [item.name.removeprefix(GRAD) for item in backward.schema.returns]
        self.is_differentiable = backward.backward is not None
        self._take = None if takes == list(range(size)) else _pick(takes)
        self._recorded = taking_all(backward, overload)
        if backward.backward == OWN:
            self._recorded = _own(backward.function, self._recorded)
        # One that records its own gradients may need autograd for its first one.
        below = overload if backward.backward == OWN else below_autograd(overload)
        self._below = taking_all(backward, below)

    def asked(self, record: bool) -> Kernel:
        """From a pool to what the backward returns."""
        call, take = self._recorded if record else self._below, self._take
        return (lambda pool: call(*pool)) if take is None else (lambda pool: call(*take(pool)))


class _Unchanged:
    """The gradient of one argument, which is an incoming one itself."""

    is_differentiable = True

    def __init__(self, name: str, place: int) -> None:
        self.gives = [name]
        self._place = place

    def asked(self, _record: bool) -> Kernel:
        """From a pool to the gradient."""
        place = self._place
        return lambda pool: pool[place]


def _own(function: Any, overload: Kernel) -> Kernel:
    """The reference's gradient, which inside of torch.func's transforms is one more of them.

    Such a transform cannot begin below the dispatcher, where the outer ones are under way.
    """

    def call(*values: Any) -> Any:
        if torch._C._are_functorch_transforms_active():
            return function.in_transforms(*values)
        return overload(*values)

    return call


def _places(spec: OperatorSpec, backward: OperatorSpec) -> list[Place]:
    """Where each of a backward's arguments comes from, in order."""
    own = {argument.name: i for i, argument in enumerate(spec.schema.arguments)}
    returns = {item.name: i for i, item in enumerate(spec.schema.returns)}
    places: list[Place] = []
    for argument in backward.schema.arguments:
        if argument.name in own:
            places.append(("input", own[argument.name]))
        elif argument.name in returns:
            places.append(("output", returns[argument.name]))
        else:
            places.append(("grad", returns[argument.name.removeprefix(GRAD)]))
    return places


def _saver(places: list[int], count: int) -> Callable[[Any, Values, Any], None]:
    """Keeps what stands at ``places`` of (*arguments, *results) where autograd watches its version."""
    if len(places) == 1 and places[0] < count:
        only = places[0]
        return lambda ctx, values, _results: ctx.save_for_backward(values[only])
    pick = _pick(places)
    if all(place < count for place in places):
        return lambda ctx, values, _results: ctx.save_for_backward(*pick(values))

    def save(ctx: Any, values: Values, results: Any) -> None:
        outputs = results if isinstance(results, tuple) else (results,)
        ctx.save_for_backward(*pick(values + outputs))

    return save


def _scalar_saver(
    save_tensors: Callable[[Any, Values, Any], None], pick: Callable[[Values], Values]
) -> Callable[[Any, Values, Any], None]:
    def save(ctx: Any, values: Values, results: Any) -> None:
        save_tensors(ctx, values, results)
        ctx.scalars = pick(values)

    return save


def _pick(places: Sequence[int]) -> Callable[[Values], Values]:
    """What stands at ``places`` of a tuple, as a tuple."""
    if not places:
        return lambda _pool: ()
    if len(places) == 1:
        only = places[0]
        return lambda pool: (pool[only],)
    return itemgetter(*places)


def _single(ask: Kernel, place: int, count: int) -> Kernel:
    """The one gradient that is needed, of the backward that gives just this one."""
    if count == 1:
        return ask
    before, after = (None,) * place, (None,) * (count - place - 1)
    return lambda pool: (*before, ask(pool), *after)


def _several(asked: Sequence[tuple[Kernel, dict[int, int]]], count: int) -> Kernel:
    def gradients(pool: Values) -> Values:
        found: list[Any] = [None] * count
        for ask, places in asked:
            made = ask(pool)
            results = made if isinstance(made, (tuple, list)) else (made,)
            for place, result in places.items():
                found[place] = results[result]
        return tuple(found)

    return gradients


def taking_all(spec: OperatorSpec, call: Kernel) -> Kernel:
    """``call`` for all arguments by position, those that the schema has as keywords too."""
    keywords = [argument.name for argument in spec.schema.arguments if argument.keyword_only]
    if not keywords:
        return call
    positional = len(spec.schema.arguments) - len(keywords)
    return lambda *values: call(
        *values[:positional], **dict(zip(keywords, values[positional:], strict=True))
    )
