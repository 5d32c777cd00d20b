"""Thread count: one thread and many give the same answer."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator

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
_ELEMENTS = 1 << 17
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
    """Call with one thread and with many; where the bits differ both have to be right."""
    usual = torch.get_num_threads()
    answers = {}
    try:
        for count in (1, _MANY):
            _use_threads(count)
            results = run_operator(subject, make_call(subject.spec, case))
            answers[count] = [tensor.clone() for tensor in results]
    finally:
        _use_threads(usual)
    one, many = answers[1], answers[_MANY]
    if all(same_bits(a, b) for a, b in zip(one, many, strict=True)):
        return passed()
    call = make_call(subject.spec, case)
    expected = expect(subject.spec, case, call)
    findings = [
        Finding(
            "depends on the number of threads",
            f"one thread and {_MANY} give two answers, and with {count} it is wrong: {finding.message}",
            {**finding.details, "threads": count, "kind": finding.kind},
        )
        for count, results in answers.items()
        for finding in findings_of(judge_call(expected, results, call))
    ]
    if findings:
        return failed(*findings)
    return passed(notes=(f"one thread and {_MANY} give answers whose bits differ; both are right",))


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
