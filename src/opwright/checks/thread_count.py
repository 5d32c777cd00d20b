"""Thread count: one thread and many give the same answer."""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Iterator, Sequence

import torch

from opwright.checks.judging.outputs import expect, findings_of, judge_call, run_operator, same_bits
from opwright.checks.planning.choices import case_name, dtype_choices, scalar_choices
from opwright.checks.protocol import Check, Subject
from opwright.inputs.call import make_call
from opwright.records.verdict import Finding, Outcome, failed, passed
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import large_size_sets, size_sets

_MANY = 7  # no size of use is a multiple of it
# Threads that race are right by luck, now and then: short calls are made more often.
_LEAST_TURNS, _MOST_TURNS, _SECONDS = 4, 200, 0.15
_MOST_OTHERS = 16
_ELEMENTS = 1 << 20
_RTLD_NOLOAD = 4


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """Sizes that are worth several threads, and some that are not; every dtype."""
    scalars = scalar_choices(spec)[0]
    sets = large_size_sets(spec, scalars, count=1, max_elements=_ELEMENTS)
    sets += size_sets(spec, scalars, count=2)
    for sizes in sets:
        for dtypes in dtype_choices(spec):
            yield Case("thread_count", case_name(sizes, dtypes), dtypes, sizes, scalars)


def run(case: Case, subject: Subject) -> Outcome:
    """Call with one thread and, several times, with many; where bits differ each answer has to be right."""
    usual = torch.get_num_threads()
    try:
        one = _answer(case, subject, 1)
        others = _others(case, subject, one)
    finally:
        _use_threads(usual)
    if not others:
        return passed()
    call = make_call(subject.spec, case)
    expected = expect(subject.spec, case, call)
    for count, results in ((1, one), *((_MANY, other) for other in others)):
        findings = [
            Finding(
                "depends on the number of threads",
                f"one thread and {_MANY} give two answers, and with {count} it is wrong: {finding.message}",
                {**finding.details, "threads": count, "kind": finding.kind},
            )
            for finding in findings_of(judge_call(expected, results, call))
        ]
        if findings:
            return failed(*findings)
    return passed(notes=(f"one thread and {_MANY} give answers whose bits differ; both are right",))


def _others(case: Case, subject: Subject, one: Sequence[torch.Tensor]) -> list[list[torch.Tensor]]:
    """Answers of many threads with other bits than ``one``: what threads race for may be right as well."""
    others: list[list[torch.Tensor]] = []
    until = time.monotonic() + _SECONDS
    for turn in range(_MOST_TURNS):
        answer = _answer(case, subject, _MANY)
        if not all(same_bits(a, b) for a, b in zip(one, answer, strict=True)):
            others.append(answer)
        enough = turn + 1 >= _LEAST_TURNS and time.monotonic() > until
        if enough or len(others) == _MOST_OTHERS:
            break
    return others


def _answer(case: Case, subject: Subject, threads: int) -> list[torch.Tensor]:
    _use_threads(threads)
    results = run_operator(subject, make_call(subject.spec, case))
    return [tensor.clone() for tensor in results]


def _use_threads(count: int) -> None:
    """Tell torch, and an OpenMP of its own that an operator may have brought."""
    torch.set_num_threads(count)
    try:
        ctypes.CDLL("libgomp.so.1", mode=os.RTLD_NOW | _RTLD_NOLOAD).omp_set_num_threads(count)
    except (OSError, AttributeError):
        return


CHECK = Check(
    "thread_count",
    "one thread and many give the same answer",
    cases,
    run,
    not_on_devices="a kernel on a device uses no threads of the host",
)
