"""The worker's side of a measurement: load what is timed, then answer with samples of one case after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any, NamedTuple

import torch

from opwright.binding.attach import attach
from opwright.binding.call import quick_call
from opwright.binding.dispatch import dispatcher_op
from opwright.checks.judging.outputs import Expected
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
from opwright.session.bench_rivals import CALL, COMPILE, REFERENCE, function_of, told
from opwright.session.subject import attach_backwards
from opwright.spec.case import Case, case_from_json
from opwright.spec.operator import OperatorSpec
from opwright.spec.target import Target, parse_target

SETUP = "opwright.session.bench_subject:set_up"
PRELOAD = ("torch", "opwright.session.bench_subject")
OPERATOR = "operator"
# Sets of tensors that the calls of a row take in turns: no call finds the last one's. To draw large ones
# takes longer than to time them.
_INPUTS, _LARGE_INPUTS = 4, 2
_SEARCHED_CALLS = 16  # of each that may have raised while all were timed


def set_up(payload: dict[str, Any]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Load the operator and what it is measured against; returns what times a case."""
    target = parse_target(payload["target"])
    spec = find_one(payload["operator"]).spec
    how = How(payload["timer"], payload["cache"], payload["gradients"])
    bench = Bench(spec, device_for(target), how)
    bench.add(OPERATOR, OPERATOR, _loaded(payload, target))
    for against in payload["against"]:
        name, kind = against["name"], against["kind"]
        if kind == OPERATOR:
            bench.add(name, kind, _loaded(against, target))
            continue
        try:
            bench.add(name, kind, function_of(against, bench.spec))
        except Exception as error:  # noqa: BLE001 -- others' code, which is not what is measured here
            bench.lack(name, error)
    return bench.answer


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
        self._kinds: dict[str, str] = {}
        self._lacking: dict[str, str] = {}
        self._level_bytes = last_level_cache_bytes(device)
        self._flush = Flush(device, self._level_bytes) if how.cache == "cold" else None
        self._meter = CeilingMeter(device, self._flush)

    def add(self, name: str, kind: str, function: Callable[..., Any]) -> None:
        """Time ``function`` as well, under this name."""
        self._functions[name], self._kinds[name] = function, kind

    def lack(self, name: str, error: BaseException) -> None:
        """Say of every case that nothing could be timed under this name."""
        self._lacking[name] = told(error)

    def answer(self, item: dict[str, Any]) -> dict[str, Any]:
        """Samples of every subject on one case; ``wrong`` says whose output is not the reference's.

        What one process can tell as well as another (memory, launches, ceilings) only the first is asked.
        Of what is no operator and does not run, or is wrong, ``lacking`` has the reason.
        """
        case, limits = case_from_json(item["case"]), Limits(**item["limits"])
        timer = timer_for(self._how.timer, self._device)
        operator_runs()
        calls, lacking = self._calls(case)
        judges = self._judges(case, calls, item["judged"])
        self._leave_out_failing(calls, judges, lacking, most_calls=1)
        process = item["process"]
        while True:
            subjects = [
                Subject(name, each.prepare, judges[name].recheck if name in judges else trusted)
                for name, each in calls.items()
            ]
            try:
                series = sample(subjects, timer, limits, process=process, seed=process)
                break
            except FoundFault as fault:
                wrong = next((name for name, judge in judges.items() if judge.fault), OPERATOR)
                if not self._is_foreign(wrong):
                    return {"wrong": fault.what}
                lacking[wrong] = fault.what
                del calls[wrong], judges[wrong]
            except Exception:
                if not self._leave_out_failing(calls, judges, lacking):
                    raise
        return {
            "series": {s.name: asdict(one) for s, one in zip(subjects, series, strict=True)},
            "rechecked": {subject.name: subject.rechecked for subject in subjects},
            "judged": {name: sorted(judge.judged) for name, judge in judges.items()},
            "late": timer.late,
            "lacking": lacking,
            "facts": self._facts(calls, judges) if not process else {},
            "roofline": self._roofline(case, calls) if not process else {},
            "flush": self._cold_by(calls) if not process else {},
        }

    def _is_foreign(self, name: str) -> bool:
        """Whether it is compiled by others, or written by others: it may fail by itself."""
        return self._kinds[name] in (COMPILE, CALL)

    def _calls(self, case: Case) -> tuple[dict[str, Calls], dict[str, str]]:
        """The calls of each subject, and why there are none of some."""
        if COMPILE in self._kinds.values():
            # What is compiled for a case is for it alone; after some of them PyTorch would compile no more.
            torch.compiler.reset()
        values, count = self._values(case)
        bind: Bind = with_gradients if self._how.gradients else bound
        if self._device is not None and self._how.timer == "graph":
            bind = replayed(bind, self._device)
        settling = Settling(self._how.cache, self._flush)
        calls: dict[str, Calls] = {}
        lacking = dict(self._lacking)
        for name, function in self._functions.items():
            with self._left_out_by(name, calls, lacking):
                calls[name] = Calls(function, values, count, bind, settling)
        return calls, lacking

    def _judges(
        self, case: Case, calls: dict[str, Calls], judged: dict[str, list[str]]
    ) -> dict[str, Judge]:
        """One for each subject but the reference, by which they judge."""
        expectations: dict[int, Expected] = {}
        return {
            name: Judge(
                name,
                case,
                each,
                judged.get(name, ()),
                expectations=expectations,
                lenient=self._kinds[name] == CALL,
            )
            for name, each in calls.items()
            if self._kinds[name] != REFERENCE
        }

    @contextmanager
    def _left_out_by(
        self, name: str, calls: dict[str, Calls], lacking: dict[str, str]
    ) -> Iterator[None]:
        """Leave out what is no operator where the block raises."""
        try:
            yield
        except Exception as error:
            if not self._is_foreign(name):
                raise
            calls.pop(name, None)
            lacking[name] = told(error)

    def _leave_out_failing(
        self,
        calls: dict[str, Calls],
        judges: dict[str, Judge],
        lacking: dict[str, str],
        *,
        most_calls: int = _SEARCHED_CALLS,
    ) -> bool:
        """Leave out what is no operator and fails, or is wrong, in one of its next calls; True where one is."""
        foreign = [name for name in calls if self._is_foreign(name)]
        for name in foreign:
            with self._left_out_by(name, calls, lacking):
                for _ in range(min(calls[name].count, most_calls)):
                    judges[name].recheck(calls[name].prepare()())
            if name not in calls:
                del judges[name]
        return any(name not in calls for name in foreign)

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
        # Drawn where it is used: to draw on the host takes longer than to time.
        place = self._device.first if self._device else None
        return make_call(self.spec, case.with_other_values(number), place)

    def _facts(self, calls: dict[str, Calls], judges: dict[str, Judge]) -> dict[str, Any]:
        """What each subject takes besides time, and how exact it is.

        What others compile or write launches how many kernels it likes: to look takes longer than to time it.
        """
        facts: dict[str, Any] = {}
        for name, each in calls.items():
            memory = memory_of(each.prepare(), self._device)
            looked_at = None if self._is_foreign(name) else self._device
            launches = launches_of(each.prepare, looked_at)
            judge = judges.get(name)
            facts[name] = {
                "memory_bytes": {**memory.columns, "results_bytes": each.results_bytes()},
                "not_measured": memory.not_measured,
                "device": launches.figures,
                "doubts": [*launches.doubts, *(judge.doubts if judge else ())],
                "accuracy": judge.accuracy if judge else {},
            }
        return facts

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
