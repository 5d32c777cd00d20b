"""Stream: work is put on the current stream, behind what it needs and before what needs it."""

from __future__ import annotations

from collections.abc import Iterator

from opwright.checks.device.placed import (
    copy_values,
    device_of,
    other_call,
    placed,
    plain_cases,
    run_kernel,
    wrong_values,
)
from opwright.checks.judging.programs import Program, in_memory
from opwright.checks.protocol import Check, Subject
from opwright.inputs.call import make_call
from opwright.records.verdict import Finding, Outcome, failed, passed
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec

_DELAY_MS = 60.0


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """One a dtype."""
    return plain_cases("stream", spec)


def run(case: Case, subject: Subject) -> Outcome:
    """On a side stream, behind a delay, the inputs get their values; then the operator, then a copy.

    A kernel on another stream reads the values that were there before, or what has become of memory that
    was given back meanwhile; one that is not finished when the copy of its output is made leaves that
    copy wrong.
    """
    device = device_of(subject)
    call = make_call(subject.spec, case)
    right, late = placed(call, device), placed(other_call(subject, case), device)
    run_kernel(subject, placed(call, device))  # so that nothing is set up for the first time below
    side = device.stream()
    device.synchronize()
    with device.using(side):
        device.delay(_DELAY_MS)
        copy_values(late, right)
        results = run_kernel(subject, late)
        kept = [tensor.clone() for tensor in results]
        for tensor in late.tensors.values():  # whoever still reads them reads this
            tensor.zero_()
    device.synchronize()
    wrong = wrong_values(subject, case, call, kept)
    with device.using(side):  # the stream of each launch is part of the record, whatever came of it
        activity = device.activity(lambda: run_kernel(subject, late))
    if not wrong:
        return passed(activity.figures)
    findings = (_finding(finding, activity.told) for finding in wrong)
    return failed(*findings, figures=activity.figures)


def _finding(wrong: Finding, told: str) -> Finding:
    message = (
        f"on a side stream, with inputs that get their values there: {wrong.message}. Launch on the "
        "current stream; let streams of your own wait for it and it for them, and tell the allocator of "
        f"them for whatever they use (`record_stream`).{told}"
    )
    return Finding("wrong stream", message, {**wrong.details, "kind": wrong.kind})


CHECK = Check(
    "stream",
    "all work is on the current stream, behind what it needs and before what needs it",
    cases,
    run,
    program=Program(in_memory),
    devices_only=True,
)
