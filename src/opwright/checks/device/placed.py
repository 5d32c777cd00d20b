"""Calls whose tensors are on the device, and what they have to give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

from opwright.checks.judging.outputs import expect, findings_of, judge_call
from opwright.checks.planning.choices import case_name, dtype_choices, scalar_choices
from opwright.checks.protocol import Subject
from opwright.devices.device import Device
from opwright.inputs.call import Call, make_call, results_of
from opwright.records.verdict import Finding
from opwright.running import operator_runs
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import roomy_size_sets


def plain_cases(check: str, spec: OperatorSpec) -> Iterator[Case]:
    """One case a dtype, at small sizes: what streams and graphs do to a kernel, they do at any size."""
    scalars = scalar_choices(spec)[0]
    for sizes in roomy_size_sets(spec, scalars, count=1):
        for dtypes in dtype_choices(spec):
            yield Case(check, case_name(sizes, dtypes), dtypes, sizes, scalars)


def device_of(subject: Subject) -> Device:
    """The subject's device: these checks are planned where there is one."""
    assert subject.device is not None
    return subject.device


def placed(call: Call, device: Device, index: int = 0) -> Call:
    """The call with its tensors on the device, the one of this index."""
    placement = device.placement(index)
    there = {name: placement.placed(tensor) for name, tensor in call.tensors.items()}
    return Call(call.spec, {**call.arguments, **there})


def other_call(subject: Subject, case: Case, number: int = 1) -> Call:
    """The same case with other values, on the host."""
    return make_call(subject.spec, case.with_other_values(number))


def run_kernel(subject: Subject, call: Call) -> list[torch.Tensor]:
    """Everything that the operator computes for a call on the device, on the current stream, unwaited for."""
    assert subject.kernel is not None
    operator_runs()
    with torch.no_grad():
        return results_of(subject.spec, subject.kernel, call)


def copy_values(to: Call, source: Call) -> None:
    """Give the tensors of a call the values of another's, on the current stream."""
    for name, tensor in to.tensors.items():
        tensor.copy_(source.arguments[name])


def wrong_values(
    subject: Subject, case: Case, call: Call, results: Sequence[torch.Tensor]
) -> tuple[Finding, ...]:
    """The judge's findings on results of the device for ``call``, which is on the host and as it was."""
    expected = expect(subject.spec, case, call)
    return findings_of(judge_call(expected, [result.cpu() for result in results], call))
