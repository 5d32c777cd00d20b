"""Threads: several threads that call at the same time get what each gets alone."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import torch

from opwright.checks.judging.outputs import expect, findings_of, judge_call, run_operator, same_bits
from opwright.checks.learning.graphs import GRADIENTS, judge_learning, run_learning
from opwright.checks.learning.places import learns
from opwright.checks.planning.choices import case_name, dtype_choices, scalar_choices
from opwright.checks.protocol import Check, Subject
from opwright.inputs.call import Call, make_call
from opwright.records.verdict import Finding, Outcome, failed, passed
from opwright.spec.case import Case
from opwright.spec.operator import OWN, OperatorSpec
from opwright.spec.sampling import large_size_sets, roomy_size_sets

_THREADS = 4
_SECONDS = 0.15
_LEAST_ROUNDS = 20
_ELEMENTS = 1 << 14
_SWITCH_SECONDS = 1e-6  # Python changes threads as often as it can: races show sooner


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """A small and a middling size of every dtype; with gradients of the operator's own, in the first."""
    scalars = scalar_choices(spec)[0]
    sets = roomy_size_sets(spec, scalars, count=1)
    sets += large_size_sets(spec, scalars, count=1, max_elements=_ELEMENTS)
    for dtypes in dtype_choices(spec):
        for sizes in sets[: 1 if sets[:1] == sets[-1:] else 2]:
            yield Case("threads", case_name(sizes, dtypes), dtypes, sizes, scalars)
    if spec.backward == OWN and learns(spec):
        for sizes, dtypes in ((sizes, dtype_choices(spec)[0]) for sizes in sets[-1:]):
            name = case_name(sizes, dtypes, None, (), GRADIENTS)
            yield Case("threads", name, dtypes, sizes, scalars, extra={"gradients": True})


@dataclass
class _Caller:
    """One thread's own case, what it gets alone, and what it got that differs."""

    case: Case
    alone: list[torch.Tensor]
    differing: list[torch.Tensor] = field(default_factory=list)
    errors: list[Exception] = field(default_factory=list)
    rounds: int = 0


def run(case: Case, subject: Subject) -> Outcome:
    """Call from several threads, each with values of its own, again and again."""
    callers = []
    for number in range(_THREADS):
        own = replace(case, seed=case.seed + number)
        results = _answers(own, subject, make_call(subject.spec, own))
        callers.append(_Caller(own, [tensor.clone() for tensor in results]))
    interval = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_SECONDS)
    try:
        _run_together(callers, subject)
    finally:
        sys.setswitchinterval(interval)
    findings = [finding for caller in callers for finding in _findings(caller, subject)]
    if findings:
        return failed(findings[0])
    figures = {"calls": sum(caller.rounds for caller in callers)}
    differ = any(caller.differing for caller in callers)
    notes = ("answers differ in some bits from those alone, and are right",) if differ else ()
    return passed(figures, notes)


def _answers(case: Case, subject: Subject, call: Call) -> list[torch.Tensor]:
    """What the call gives: results, or gradients."""
    return (run_learning if case.extra.get("gradients") else run_operator)(subject, call)


def _run_together(callers: list[_Caller], subject: Subject) -> None:
    barrier = threading.Barrier(len(callers))
    until = time.monotonic() + _SECONDS

    def work(caller: _Caller) -> None:
        template = make_call(subject.spec, caller.case)
        barrier.wait()
        while caller.rounds < _LEAST_ROUNDS or time.monotonic() < until:
            caller.rounds += 1
            try:
                results = _answers(caller.case, subject, template.cloned())
            except Exception as error:
                caller.errors.append(error)
                return
            if not all(same_bits(a, b) for a, b in zip(caller.alone, results, strict=True)):
                caller.differing = [tensor.clone() for tensor in results]
                return

    threads = [threading.Thread(target=work, args=(caller,)) for caller in callers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _findings(caller: _Caller, subject: Subject) -> Iterator[Finding]:
    for error in caller.errors:
        yield Finding(
            "fails beside other threads",
            f"called by {_THREADS} threads at the same time it raises {type(error).__name__}: {error}; "
            "alone it does not",
            {"threads": _THREADS, "exception": type(error).__name__},
        )
    if not caller.differing:
        return
    call = make_call(subject.spec, caller.case)
    if caller.case.extra.get("gradients"):
        comparison = judge_learning(caller.case, call, caller.differing)
    else:
        comparison = judge_call(expect(subject.spec, caller.case, call), caller.differing, call)
    for finding in findings_of(comparison):
        yield Finding(
            "wrong beside other threads",
            f"called by {_THREADS} threads at the same time, each with tensors of its own, it is wrong "
            f"after {caller.rounds} calls, and alone it is right: {finding.message}. Keep no state between "
            "calls that is not guarded: static and global buffers, caches, default arguments.",
            {**finding.details, "threads": _THREADS, "kind": finding.kind},
        )


CHECK = Check(
    "threads",
    "calls from several threads at the same time give what each gives alone",
    cases,
    run,
    spoils=True,
)
