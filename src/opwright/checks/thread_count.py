"""Thread count: one thread and many give the same answer."""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import threading
import time
from collections.abc import Iterator, Sequence

import torch

from opwright.checks.judging.outputs import expect, findings_of, judge_call, run_operator, same_bits
from opwright.checks.learning.graphs import GRADIENTS, judge_learning, run_learning
from opwright.checks.learning.places import learns
from opwright.checks.planning.choices import case_name, dtype_choices, scalar_choices
from opwright.checks.protocol import Check, Subject
from opwright.inputs.call import make_call
from opwright.judge import Comparison
from opwright.records.verdict import Finding, Outcome, failed, passed
from opwright.spec.case import Case
from opwright.spec.operator import OWN, OperatorSpec
from opwright.spec.sampling import large_size_sets, size_sets

_MANY = 7  # no size of use is a multiple of it
_LEAST_TURNS, _SECONDS = 4, 0.15
_RACING_SECONDS = 3.0
_WAKE_SECONDS = 20e-6
_MOST_JUDGED = 8
_ELEMENTS = 1 << 20
_RTLD_NOLOAD = 4


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """Sizes that are worth several threads, and some that are not; every dtype.

    With gradients of the operator's own, in the first: kernels of a backward are asked as operators.
    """
    scalars = scalar_choices(spec)[0]
    sets = large_size_sets(spec, scalars, count=1, max_elements=_ELEMENTS)
    sets += size_sets(spec, scalars, count=2)
    for sizes in sets:
        for dtypes in dtype_choices(spec):
            yield Case("thread_count", case_name(sizes, dtypes), dtypes, sizes, scalars)
    if spec.backward == OWN and learns(spec):
        dtypes = dtype_choices(spec)[0]
        for sizes in sets[:2]:
            name = case_name(sizes, dtypes, None, (), GRADIENTS)
            yield Case("thread_count", name, dtypes, sizes, scalars, extra={"gradients": True})


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
    for count, results in ((1, one), *((_MANY, other) for other in others)):
        findings = [
            Finding(
                "depends on the number of threads",
                f"one thread and {_MANY} give two answers, and with {count} it is wrong: {finding.message}",
                {**finding.details, "threads": count, "kind": finding.kind},
            )
            for finding in findings_of(_judged(case, subject, results))
        ]
        if findings:
            return failed(*findings)
    return passed(notes=(f"one thread and {_MANY} give answers whose bits differ; both are right",))


def _judged(case: Case, subject: Subject, results: Sequence[torch.Tensor]) -> Comparison:
    call = make_call(subject.spec, case)
    if case.extra.get("gradients"):
        return judge_learning(case, call, results)
    return judge_call(expect(subject.spec, case, call), results, call)


def _others(case: Case, subject: Subject, one: Sequence[torch.Tensor]) -> list[list[torch.Tensor]]:
    """Answers of many threads with other bits than ``one``, the farthest from it first.

    Threads whose answers differ from call to call are called for longer: what they race for comes
    out right, or wrong by a rounding, far more often than it comes out wrong.
    """
    others: list[tuple[float, list[torch.Tensor]]] = []
    start, seconds, turn = time.monotonic(), _SECONDS, 0
    with _preempted():
        while turn < _LEAST_TURNS or time.monotonic() < start + seconds:
            answer = _answer(case, subject, _MANY)
            turn += 1
            if _alike(one, answer):
                continue
            if others and not _alike(others[0][1], answer):
                seconds = _RACING_SECONDS
            others.append((_distance(one, answer), answer))
            others.sort(key=lambda item: -item[0])
            del others[_MOST_JUDGED:]
    return [answer for _, answer in others]


@contextlib.contextmanager
def _preempted() -> Iterator[None]:
    """Take the processor from running threads at any instruction, some ten thousand times a second.

    Where threads have one processor between them each ends its share before the next begins, and
    no race is lost: a thread that only wakes and sleeps again makes the scheduler change over.
    """
    over = threading.Event()

    def wake() -> None:
        while not over.is_set():
            time.sleep(_WAKE_SECONDS)

    waking = threading.Thread(target=wake, name="opwright-preempting", daemon=True)
    waking.start()
    try:
        yield
    finally:
        over.set()
        waking.join()


def _alike(one: Sequence[torch.Tensor], other: Sequence[torch.Tensor]) -> bool:
    return all(same_bits(a, b) for a, b in zip(one, other, strict=True))


def _distance(one: Sequence[torch.Tensor], other: Sequence[torch.Tensor]) -> float:
    """The largest difference between two answers; infinite where only one is a number."""
    return max(_tensor_distance(a, b) for a, b in zip(one, other, strict=True))


def _tensor_distance(one: torch.Tensor, other: torch.Tensor) -> float:
    if one.shape != other.shape or one.dtype != other.dtype:
        return math.inf
    wide = torch.complex128 if one.is_complex() else torch.float64
    difference = (one.to(wide) - other.to(wide)).abs()
    difference[(one == other) | (one.isnan() & other.isnan())] = 0  # infinities too
    return difference.nan_to_num(nan=math.inf).max().item() if one.numel() else 0.0


def _answer(case: Case, subject: Subject, threads: int) -> list[torch.Tensor]:
    _use_threads(threads)
    run = run_learning if case.extra.get("gradients") else run_operator
    results = run(subject, make_call(subject.spec, case))
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
