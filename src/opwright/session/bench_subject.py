"""The worker's side of a measurement: load what is timed, then answer with samples of one case after the other."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import torch

from opwright.binding.attach import attach
from opwright.binding.call import quick_call
from opwright.binding.dispatch import dispatcher_op
from opwright.checks.device.placed import placed
from opwright.checks.judging.outputs import expect, judge_call, same_bits
from opwright.devices.device import Device, device_for
from opwright.discovery import find_one
from opwright.errors import FoundFault
from opwright.inputs.call import Call, fresh_results, make_call
from opwright.measure.cache import Flush, last_level_cache_bytes
from opwright.measure.sampling import Subject, sample
from opwright.measure.stopping import Limits
from opwright.measure.timers import timer_for
from opwright.records.artifact import artifact_from_json
from opwright.running import operator_runs
from opwright.spec.case import Case, case_from_json
from opwright.spec.operator import OperatorSpec
from opwright.spec.target import Target, parse_target

SETUP = "opwright.session.bench_subject:set_up"
PRELOAD = ("torch", "opwright.session.bench_subject")
OPERATOR, REFERENCE, COMPILE = "operator", "reference", "compile"
_INPUTS = 4  # sets of tensors that the calls of a row take in turns: no call finds the last one's


def set_up(payload: dict[str, Any]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Load the operator and what it is measured against; returns what times a case."""
    target = parse_target(payload["target"])
    bench = Bench(
        find_one(payload["operator"]).spec, device_for(target), payload["timer"], payload["cache"]
    )
    bench.add(OPERATOR, _loaded(payload["operator"], payload["artifact"], target))
    for against in payload["against"]:
        bench.add(against["name"], _other(against, bench.spec, target))
    return bench.answer


def _other(against: dict[str, Any], spec: OperatorSpec, target: Target) -> Callable[..., Any]:
    if against["name"] == REFERENCE:
        return spec.reference
    if against["name"] == COMPILE:
        compiled: Callable[..., Any] = torch.compile(spec.reference, dynamic=False)
        return compiled
    return _loaded(against["operator"], against["artifact"], target)


def _loaded(operator: str, artifact: dict[str, Any] | None, target: Target) -> Callable[..., Any]:
    """What a call of the operator object comes to, with this artifact as its kernel."""
    dispatcher = dispatcher_op(find_one(operator).spec)
    attach(dispatcher, target, artifact_from_json(artifact) if artifact else None)
    return quick_call(dispatcher.spec, dispatcher.overload, dispatcher.record())


class Bench:
    """What is timed in this process, and how."""

    def __init__(self, spec: OperatorSpec, device: Device | None, timer: str, cache: str) -> None:
        self.spec = spec
        self._device, self._timer, self._cache = device, timer, cache
        self._functions: dict[str, Callable[..., Any]] = {}
        self._flush = Flush(device, last_level_cache_bytes(device)) if cache == "cold" else None

    def add(self, name: str, function: Callable[..., Any]) -> None:
        """Time ``function`` as well, under this name."""
        self._functions[name] = function

    def answer(self, item: dict[str, Any]) -> dict[str, Any]:
        """Samples of every subject on one case; ``wrong`` says whose output is not the reference's."""
        case, limits = case_from_json(item["case"]), Limits(**item["limits"])
        timer = timer_for(self._timer, self._device)
        operator_runs()
        inputs = [self._call(case, number) for number in range(_INPUTS)]
        subjects = [self._subject(n, f, case, inputs) for n, f in self._functions.items()]
        try:
            series = sample(subjects, timer, limits, process=item["process"], seed=item["process"])
        except FoundFault as fault:
            return {"wrong": fault.what}
        return {
            "series": {s.name: asdict(one) for s, one in zip(subjects, series, strict=True)},
            "rechecked": {subject.name: subject.rechecked for subject in subjects},
            "late": timer.late,
        }

    def _call(self, case: Case, number: int) -> Call:
        call = make_call(self.spec, case.with_other_values(number))
        return placed(call, self._device) if self._device else call

    def _subject(
        self, name: str, function: Callable[..., Any], case: Case, inputs: Sequence[Call]
    ) -> Subject:
        calls = Calls(function, inputs, self._flush)
        if name == REFERENCE:
            return Subject(name, calls.prepare, _trusted)
        return Subject(name, calls.prepare, Judge(name, case, calls).recheck)


class Calls:
    """A function's calls on each set of inputs in turn; what a call has written to is as it was at the next.

    ``flush`` empties the cache before each; without one, a call that nobody times fills it.
    """

    def __init__(
        self, function: Callable[..., Any], inputs: Sequence[Call], flush: Flush | None
    ) -> None:
        self._function, self._flush = function, flush
        self._own = [_writable(call) for call in inputs]
        self._turns = itertools.cycle(zip(inputs, self._own, strict=True))
        self.latest = inputs[0], self._own[0]

    def prepare(self) -> Callable[[], Any]:
        """The next call, its arguments as they were drawn and the cache in its state."""
        drawn, own = self.latest = next(self._turns)
        positional, keywords = own.spec.schema.as_call(own.arguments)
        call = functools.partial(self._function, *positional, **keywords)
        if self._flush is None:
            call()
        for name in own.written:
            own.arguments[name].copy_(drawn.arguments[name])
        if self._flush is not None:
            self._flush()
        return call


def _writable(call: Call) -> Call:
    """The call itself, with memory of its own for what it writes to."""
    return Call(
        call.spec, {**call.arguments, **{n: call.arguments[n].clone() for n in call.written}}
    )


class Judge:
    """Looks at what sampled calls have computed: bit by bit like a result that was judged, or judged anew."""

    def __init__(self, name: str, case: Case, calls: Calls) -> None:
        self._name, self._case, self._calls = name, case, calls
        self._right: dict[int, list[torch.Tensor]] = {}  # by the inputs they belong to

    def recheck(self, returned: Any) -> None:
        """Raise `FoundFault` where the latest call has not given what the reference gives."""
        drawn, own = self._calls.latest
        results = [*fresh_results(own.spec, returned), *(own.arguments[n] for n in own.written)]
        known = self._right.get(id(drawn))
        if known is not None and all(map(same_bits, known, results)):
            return
        expected = expect(drawn.spec, self._case, drawn)
        comparison = judge_call(expected, results, drawn)
        if not comparison.passed:
            said = comparison.reasons[0].message
            raise FoundFault(
                f"{self._name} is wrong on {self._case.name}: {said}",
                hint="Run `opwright check`: what is wrong is not worth timing.",
            )
        self._right[id(drawn)] = [result.clone() for result in results]


def _trusted(returned: Any) -> None:
    """The reference is what the others are judged by."""
    del returned
