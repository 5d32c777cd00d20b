"""How an operator stands in a graph: alone, several times in series, or between companions."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import torch

from opwright.graph.companions import COMPANIONS, Companion, companion_named, takes
from opwright.inputs.call import Call, fresh_results
from opwright.spec.operator import OperatorSpec

Function = Callable[..., Any]


class Arrangement(NamedTuple):
    """``times`` is how often the operator is called; ``companion`` stands before and after it, if any."""

    name: str
    times: int = 1
    companion: str = ""


ALONE = Arrangement("alone")
SERIES = (Arrangement("two in series", 2), Arrangement("three in series", 3))
JOINED = tuple(Arrangement(f"with {c.name}", 1, c.name) for c in COMPANIONS)
ARRANGEMENTS = (ALONE, *SERIES, *JOINED)


def arrangement_named(name: str) -> Arrangement:
    """The arrangement of that name; `KeyError` for none."""
    return {arrangement.name: arrangement for arrangement in ARRANGEMENTS}[name]


class Arranged(torch.nn.Module):
    """A module of the operator in an arrangement. It takes the call's tensors and gives fresh results.

    What it does on the way is decided here once, so that whoever traces it sees plain tensor code.
    """

    def __init__(self, call: Call, function: Function, arrangement: Arrangement) -> None:
        super().__init__()
        self._function, self._spec = function, call.spec
        self._names = tuple(call.tensors)
        self._positional, self._keywords = _template(call)
        self._times = arrangement.times
        self._companion = companion_named(arrangement.companion) if arrangement.companion else None
        self._before = _first_to_take(call)
        self._written = tuple(self._names.index(name) for name in call.written)
        # What has bounds may be an index: whole numbers that an operator gives would not be any.
        self._unbounded = frozenset(
            place for place, name in enumerate(self._names) if call.spec.inputs[name].range is None
        )

    def forward(self, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """All fresh results of the last call, and what the companion behind makes of the first."""
        given = list(tensors)
        if self._companion is not None and self._before >= 0:
            given[self._before] = self._companion.before(given[self._before])
        results = self._called(given)
        for _ in range(self._times - 1):
            given = self._fed(given, results)
            results = self._called(given)
        if self._companion is None:
            return tuple(results)
        return (*results, *self._followed(results, given))

    def _called(self, given: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        positional = [given[v] if is_place else v for is_place, v in self._positional]
        keywords = {
            name: given[v] if is_place else v for name, (is_place, v) in self._keywords.items()
        }
        return fresh_results(self._spec, self._function(*positional, **keywords))

    def _fed(
        self, given: Sequence[torch.Tensor], results: Sequence[torch.Tensor]
    ) -> list[torch.Tensor]:
        """The inputs of the next call: each result in place of the first input that is like it."""
        outputs = [*results, *(given[place].clone() for place in self._written)]
        fed = list(given)
        free = [place for place in range(len(given)) if place not in self._written]
        for output in outputs:
            place = next((p for p in free if self._takes(p, given[p], output)), None)
            if place is not None:
                fed[place] = output
                free.remove(place)
        if self._before >= 0 and all(map(operator.is_, fed, given)):
            fed[self._before] = _tied(given[self._before], results)
        return fed

    def _takes(self, place: int, given: torch.Tensor, output: torch.Tensor) -> bool:
        is_safe = output.is_floating_point() or place in self._unbounded
        return is_safe and _alike(given, output)

    def _followed(
        self, results: Sequence[torch.Tensor], given: Sequence[torch.Tensor]
    ) -> tuple[torch.Tensor, ...]:
        assert self._companion is not None
        outputs = [*results, *(given[place] for place in self._written)]
        first = next((output for output in outputs if takes(output)), None)
        return () if first is None else self._companion.after(_wide(first))


def _tied(tensor: torch.Tensor, results: Sequence[torch.Tensor]) -> torch.Tensor:
    """Another argument, which depends on a result that does not fit there: else compilers drop the call before."""
    other = COMPANIONS[0].before(tensor)
    first = next((result for result in results if takes(result)), None)
    return other if first is None else torch.minimum(other, first.max().to(other.dtype))


def _wide(tensor: torch.Tensor) -> torch.Tensor:
    """In float32 at least: there PyTorch and compilers round alike."""
    return tensor if tensor.dtype == torch.float64 else tensor.to(torch.float32)


def _alike(one: torch.Tensor, other: torch.Tensor) -> bool:
    return (
        one.dtype == other.dtype
        and one.dim() == other.dim()
        and all(a == b for a, b in zip(one.shape, other.shape, strict=True))
    )


def _template(call: Call) -> tuple[list[tuple[bool, Any]], dict[str, tuple[bool, Any]]]:
    """Arguments of a call, positional and by keyword: ``(True, place)`` for tensors, ``(False, value)``."""
    places: Mapping[str, int] = {name: place for place, name in enumerate(call.tensors)}
    values = {
        name: (True, places[name]) if name in places else (False, value)
        for name, value in call.arguments.items()
    }
    return call.spec.schema.as_call(values)


def _first_to_take(call: Call) -> int:
    """The place of the first tensor that a companion can stand in front of; -1 for none."""
    for place, name in enumerate(call.tensors):
        free = name not in call.written and call.spec.inputs[name].range is None
        if free and takes(call.tensors[name]):
            return place
    return -1


def why_not_joined(spec: OperatorSpec, call: Call, arrangement: Arrangement) -> str:
    """Why companions cannot stand around the operator; empty where one can, or none is asked for."""
    if not arrangement.companion or _first_to_take(call) >= 0:
        return ""
    return f"{spec.name} takes no rows of floating-point numbers without bounds, which a companion could give"


class CompanionAlone(torch.nn.Module):
    """One side of a companion, without an operator."""

    def __init__(self, companion: Companion, side: str) -> None:
        super().__init__()
        self._companion, self._side = companion, side

    def forward(self, tensor: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """What it makes of the tensor."""
        if self._side == "before":
            return (self._companion.before(tensor),)
        return self._companion.after(_wide(tensor))
