"""The calls that are timed, one after the other on other memory, and what looks at their results."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

import torch

from opwright.checks.judging.outputs import Expected, expect, judge_call, same_bits
from opwright.devices.device import Device
from opwright.devices.placement import storage_bytes
from opwright.errors import FoundFault
from opwright.inputs.call import Call, fresh_results, unread_arguments
from opwright.measure.cache import Flush, copied
from opwright.measure.captured import captured
from opwright.measure.roofline import bytes_moved
from opwright.session.bench_digest import digest_of
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec

# A mean error up to which others' code computes the same, only less exactly.
_LITTLE_ULP = 16.0

Bind: TypeAlias = Callable[[Callable[..., Any], Call], Callable[[], Any]]


class Settling(NamedTuple):
    """The state of the cache before each call, ``cold``, ``rotating`` or ``warm``, and what empties it."""

    cache: str
    flush: Flush | None


class Calls:
    """A function's calls on ``count`` sets of memory in turns, each time with other ones of the ``values``.

    What a function remembers by the address of its arguments is then wrong, and what it has written to is as
    it was. ``bind`` makes a call without arguments of a function and its arguments.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        values: Sequence[Call],
        count: int,
        bind: Bind,
        settling: Settling,
    ) -> None:
        self._settling, self._values = settling, values
        self.memory = [copied(values[place % len(values)]) for place in range(count)]
        self._held = [place % len(values) for place in range(count)]  # which values lie there
        self._runs = [bind(function, call) for call in self.memory]
        self._place = count - 1
        self.latest = values[self._held[-1]], self.memory[-1]

    def prepare(self) -> Callable[[], Any]:
        """The next call, with other values in its arguments and the cache in its state."""
        rotating = self._settling.cache == "rotating"
        if rotating:
            self._fill(
                self._place
            )  # what is filled is in the cache: it has until its next turn to leave
        self._place = (self._place + 1) % len(self.memory)
        if self._settling.cache == "warm":
            self._runs[self._place]()
        if not rotating:
            self._fill(self._place)
        if self._settling.flush is not None:
            self._settling.flush()
        self.latest = self._values[self._held[self._place]], self.memory[self._place]
        return self._runs[self._place]

    def _fill(self, place: int) -> None:
        """Give a set the values after its last ones, whole storages at a time: they are laid out alike."""
        self._held[place] = (self._held[place] + 1) % len(self._values)
        drawn = self._values[self._held[place]]
        for name, tensor in self.memory[place].tensors.items():
            storage_bytes(tensor).copy_(storage_bytes(drawn.arguments[name]))

    @property
    def count(self) -> int:
        """After how many calls it is the same memory's turn again."""
        return len(self.memory)

    def results_bytes(self) -> int:
        """The memory of what a call returns: what it adds to memory beyond that is no part of its results."""
        call = self.prepare()
        storages = [t.untyped_storage() for t in fresh_results(self.latest[1].spec, call())]
        return sum({each.data_ptr(): each.nbytes() for each in storages}.values())

    def bytes_moved(self) -> int:
        """The least that a call has to move."""
        call = self.prepare()
        own = self.latest[1]
        return bytes_moved(own, fresh_results(own.spec, call()), unread_arguments(own))


def bound(function: Callable[..., Any], call: Call) -> Callable[[], Any]:
    """The call of ``function`` alone."""
    positional, keywords = call.spec.schema.as_call(call.arguments)
    return functools.partial(function, *positional, **keywords)


def with_gradients(function: Callable[..., Any], call: Call) -> Callable[[], Any]:
    """The call, and the gradients of all that it takes for incoming ones that are drawn beforehand.

    What it returns is the function's. Its arguments are the call's memory, as leaves of a graph. Raises
    `FoundFault` where the function gives fewer gradients than the reference: it would seem to be quick.
    """
    leaves = {
        name: tensor.detach().requires_grad_()
        for name, tensor in call.tensors.items()
        if tensor.is_floating_point() or tensor.is_complex()
    }
    forward = bound(function, Call(call.spec, {**call.arguments, **leaves}))
    wanted = list(leaves.values())
    incoming = [torch.randn_like(tensor) for tensor in _differentiable(call.spec, forward())]
    lost = leaves.keys() - _led_back_to(call.spec, forward, leaves)
    if lost and (lost := lost & _led_back_to(call.spec, _of_reference(call, leaves), leaves)):
        raise FoundFault(
            f"no gradient reaches {', '.join(sorted(lost))}, as it does from the reference"
        )

    def run() -> Any:
        returned = forward()
        torch.autograd.grad(
            _differentiable(call.spec, returned), wanted, incoming, allow_unused=True
        )
        return returned

    return run


def _of_reference(call: Call, leaves: dict[str, torch.Tensor]) -> Callable[[], Any]:
    return bound(call.spec.reference, Call(call.spec, {**call.arguments, **leaves}))


def _led_back_to(
    spec: OperatorSpec, forward: Callable[[], Any], leaves: dict[str, torch.Tensor]
) -> set[str]:
    """The leaves that the results of a call give gradients."""
    sums = [tensor.sum() for tensor in _differentiable(spec, forward())]
    if not sums:
        return set()
    ones = [torch.ones_like(each) for each in sums]
    found: Sequence[torch.Tensor | None] = torch.autograd.grad(
        sums, list(leaves.values()), ones, allow_unused=True
    )
    return {name for name, gradient in zip(leaves, found, strict=True) if gradient is not None}


def replayed(bind: Bind, device: Device) -> Bind:
    """As ``bind``, each call captured in a graph of the device and replayed."""
    return lambda function, call: captured(bind(function, call), device)


def _differentiable(spec: OperatorSpec, returned: Any) -> list[torch.Tensor]:
    return [tensor for tensor in fresh_results(spec, returned) if tensor.requires_grad]


class Judge:
    """Looks at what sampled calls have computed: bit by bit like a result that was judged, or judged anew.

    ``judged`` holds what was judged right, results with their inputs, as digests: a process of the same
    measurement may be given another's. ``expectations`` are those of the inputs of a case, by their identity,
    for all judges of the case. A ``lenient`` judge lets results pass that are a little less exact than they
    have to be, and says so in ``doubts``. ``fault`` is what was told of a wrong one, ``accuracy`` the figures
    of the first.
    """

    def __init__(
        self,
        name: str,
        case: Case,
        calls: Calls,
        judged: Iterable[str] = (),
        *,
        expectations: dict[int, Expected] | None = None,
        lenient: bool = False,
    ) -> None:
        self._name, self._case, self._calls = name, case, calls
        self._expectations = {} if expectations is None else expectations
        self._lenient = lenient
        self._right: dict[int, list[torch.Tensor]] = {}  # by the inputs they belong to
        self.judged = set(judged)
        self.doubts: list[str] = []
        self.fault = ""
        self.accuracy: dict[str, float] = {}

    def recheck(self, returned: Any) -> bool:
        """Raise `FoundFault` where the latest call has not given what the reference gives; True where it has."""
        drawn, own = self._calls.latest
        results = [*fresh_results(own.spec, returned), *(own.arguments[n] for n in own.written)]
        known = self._right.get(id(drawn))
        if known is not None and len(known) == len(results) and all(map(same_bits, known, results)):
            return True
        digest = digest_of([*drawn.tensors.values(), *results])
        if not digest or digest not in self.judged:
            self._judge(drawn, results)
        if digest:
            self.judged.add(digest)
        self._right[id(drawn)] = [result.clone() for result in results]
        return True

    def _judge(self, drawn: Call, results: list[torch.Tensor]) -> None:
        if id(drawn) not in self._expectations:
            self._expectations[id(drawn)] = expect(drawn.spec, self._case, drawn)
        comparison = judge_call(self._expectations[id(drawn)], results, drawn)
        self.accuracy = self.accuracy or dict(comparison.figures)
        if comparison.passed:
            return
        said = comparison.reasons[0].message
        inexact = all(reason.kind == "accuracy" for reason in comparison.reasons)
        if self._lenient and inexact and comparison.figures["mean_ulp"] <= _LITTLE_ULP:
            self.doubts = self.doubts or [f"less exact than it has to be: {said}"]
            return
        self.fault = f"{self._name} is wrong on {self._case.name}: {said}"
        raise FoundFault(
            self.fault, hint="Run `opwright check`: what is wrong is not worth timing."
        )


def trusted(returned: Any) -> bool:
    """The reference is what the others are judged by: nobody looks at it."""
    del returned
    return False
