"""The worker's side of a measurement: load what is timed, then answer with samples of one case after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, NamedTuple

import torch

from opwright.binding.attach import attach
from opwright.binding.call import quick_call
from opwright.binding.dispatch import dispatcher_op
from opwright.checks.device.placed import placed
from opwright.devices.device import Device, device_for
from opwright.discovery import find_one
from opwright.errors import FoundFault, LoadError
from opwright.inputs.call import Call, make_call
from opwright.measure.cache import (
    UNKNOWN_BYTES,
    Flush,
    copies_that_hold,
    flush_is_effective,
    held_bytes,
    last_level_cache_bytes,
)
from opwright.measure.ceilings import CeilingMeter
from opwright.measure.launches import launches_of
from opwright.measure.memory import memory_of
from opwright.measure.roofline import flops_of
from opwright.measure.sampling import Subject, sample
from opwright.measure.stopping import Limits
from opwright.measure.timers import timer_for
from opwright.records.artifact import artifact_from_json
from opwright.running import operator_runs
from opwright.session.bench_calls import (
    Bind,
    Calls,
    Judge,
    Settling,
    bound,
    replayed,
    trusted,
    with_gradients,
)
from opwright.session.subject import attach_backwards
from opwright.spec.case import Case, case_from_json
from opwright.spec.operator import OperatorSpec
from opwright.spec.target import Target, parse_target

SETUP = "opwright.session.bench_subject:set_up"
PRELOAD = ("torch", "opwright.session.bench_subject")
OPERATOR, REFERENCE, COMPILE = "operator", "reference", "compile"
# Sets of tensors that the calls of a row take in turns: no call finds the last one's. To draw large ones
# takes longer than to time them.
_INPUTS, _LARGE_INPUTS = 4, 2


def set_up(payload: dict[str, Any]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Load the operator and what it is measured against; returns what times a case."""
    target = parse_target(payload["target"])
    spec = find_one(payload["operator"]).spec
    how = How(payload["timer"], payload["cache"], payload["gradients"])
    bench = Bench(spec, device_for(target), how)
    bench.add(OPERATOR, _loaded(payload, target))
    for against in payload["against"]:
        bench.add(against["name"], _other(against, bench.spec, target))
    return bench.answer


def _other(against: dict[str, Any], spec: OperatorSpec, target: Target) -> Callable[..., Any]:
    if against["name"] == REFERENCE:
        return spec.reference
    if against["name"] == COMPILE:
        compiled: Callable[..., Any] = torch.compile(spec.reference, dynamic=False)
        return compiled
    return _loaded(against, target)


def _loaded(loaded: dict[str, Any], target: Target) -> Callable[..., Any]:
    """What a call of the operator object comes to, with this artifact as its kernel, and those of its backwards.

    Raises `LoadError`, too, where gradients are asked for and a backward has no kernel.
    """
    dispatcher = dispatcher_op(find_one(loaded["operator"]).spec)
    artifact = loaded["artifact"]
    attach(dispatcher, target, artifact_from_json(artifact) if artifact else None)
    if loaded["backwards"] and (
        lacking := attach_backwards(dispatcher.spec, target, loaded["backwards"])
    ):
        raise LoadError(
            f"the gradients of {dispatcher.spec.name} cannot be timed: {lacking}",
            hint="Leave --gradients out, or give its backward kernels for this target.",
        )
    return quick_call(dispatcher.spec, dispatcher.overload, dispatcher.record())


class How(NamedTuple):
    """The timer, the state of the cache, and whether gradients are computed on the clock, too."""

    timer: str
    cache: str
    gradients: bool


class Bench:
    """What is timed in this process, and how."""

    def __init__(self, spec: OperatorSpec, device: Device | None, how: How) -> None:
        self.spec = spec
        self._device, self._how = device, how
        self._functions: dict[str, Callable[..., Any]] = {}
        self._level_bytes = last_level_cache_bytes(device)
        self._flush = Flush(device, self._level_bytes) if how.cache == "cold" else None
        self._meter = CeilingMeter(device, self._flush)

    def add(self, name: str, function: Callable[..., Any]) -> None:
        """Time ``function`` as well, under this name."""
        self._functions[name] = function

    def answer(self, item: dict[str, Any]) -> dict[str, Any]:
        """Samples of every subject on one case; ``wrong`` says whose output is not the reference's.

        What one process can tell as well as another (memory, launches, ceilings) only the first is asked.
        """
        case, limits = case_from_json(item["case"]), Limits(**item["limits"])
        timer = timer_for(self._how.timer, self._device)
        operator_runs()
        calls = self._calls(case)
        judges = {
            name: Judge(name, case, each, item["judged"].get(name, ()))
            for name, each in calls.items()
            if name != REFERENCE
        }
        subjects = [
            Subject(name, each.prepare, judges[name].recheck if name in judges else trusted)
            for name, each in calls.items()
        ]
        process = item["process"]
        try:
            series = sample(subjects, timer, limits, process=process, seed=process)
        except FoundFault as fault:
            return {"wrong": fault.what}
        return {
            "series": {s.name: asdict(one) for s, one in zip(subjects, series, strict=True)},
            "rechecked": {subject.name: subject.rechecked for subject in subjects},
            "judged": {name: sorted(judge.judged) for name, judge in judges.items()},
            "late": timer.late,
            "facts": {name: self._facts(each) for name, each in calls.items()}
            if not process
            else {},
            "roofline": self._roofline(case, calls) if not process else {},
            "flush": self._cold_by(calls) if not process else {},
        }

    def _calls(self, case: Case) -> dict[str, Calls]:
        values, count = self._values(case)
        bind: Bind = with_gradients if self._how.gradients else bound
        if self._device is not None and self._how.timer == "graph":
            bind = replayed(bind, self._device)
        settling = Settling(self._how.cache, self._flush)
        return {
            name: Calls(function, values, count, bind, settling)
            for name, function in self._functions.items()
        }

    def _values(self, case: Case) -> tuple[list[Call], int]:
        """What arguments hold in turns, and in how many sets of memory: enough to fill the cache where they rotate."""
        first = self._call(case, 0)
        large = held_bytes([first]) > self._level_bytes
        count = _LARGE_INPUTS if large or self._how.cache == "rotating" else _INPUTS
        values = [first, *(self._call(case, number) for number in range(1, count))]
        if self._how.cache == "rotating":
            return values, copies_that_hold(first, 2 * (self._level_bytes or UNKNOWN_BYTES))
        return values, count

    def _call(self, case: Case, number: int) -> Call:
        call = make_call(self.spec, case.with_other_values(number))
        return placed(call, self._device) if self._device else call

    def _facts(self, calls: Calls) -> dict[str, Any]:
        """What one subject takes besides time."""
        memory = memory_of(calls.prepare(), self._device)
        launches = launches_of(calls.prepare, self._device)
        return {
            "memory_bytes": memory.columns,
            "not_measured": memory.not_measured,
            "device": launches.figures,
            "doubts": launches.doubts,
        }

    def _roofline(self, case: Case, calls: dict[str, Calls]) -> dict[str, Any]:
        """What the case has to move and to compute, and what this device can do of that.

        Nothing with gradients: what autograd has to keep and to move, no description says.
        """
        if self._how.gradients:
            return {}
        size_bytes = calls[OPERATOR].bytes_moved()
        flops = flops_of(calls[OPERATOR].latest[0])
        dtype = next(iter(case.dtypes.values()), None) if flops is not None else None
        ceilings = self._meter.ceilings(size_bytes, dtype)
        return {"bytes": size_bytes, "flops": flops, "ceilings": asdict(ceilings)}

    def _cold_by(self, calls: dict[str, Calls]) -> dict[str, Any]:
        """Whether the cache is empty as it should be: the flush's effect is measured, copies are counted."""
        if self._flush is not None:
            return asdict(flush_is_effective(self._flush, self._device))
        if self._how.cache == "warm":
            return {}
        size_bytes = held_bytes(calls[OPERATOR].memory)
        enough = bool(self._level_bytes) and size_bytes >= 2 * self._level_bytes
        told = f"calls take sets in turns that hold {size_bytes} bytes, the last level {self._level_bytes}"
        return {"verdict": "effective" if enough else "not effective", "reason": told}
