"""Device guard: the call runs where its tensors are, whichever device is current, and mixes none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from opwright.checks.device.placed import (
    device_of,
    placed,
    plain_cases,
    run_kernel,
    wrong_values,
)
from opwright.checks.judging.refusals import refused, unclear
from opwright.checks.protocol import Check, Subject
from opwright.inputs.call import Call, make_call
from opwright.records.verdict import Finding, Outcome, failed, not_checked, passed
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec

_CURRENT = "another device current"


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """Another device current; and each argument in turn on the host, and on another device."""
    for case in plain_cases("device_guard", spec):
        yield replace(case, name=f"{case.name} {_CURRENT}")
    for case in list(plain_cases("device_guard", spec))[:1]:
        for argument in spec.schema.tensors:
            for where in ("the host", "another device"):
                extra = {"argument": argument.name, "where": where}
                yield replace(case, name=f"{argument.name} on {where}", extra=extra)


def run(case: Case, subject: Subject) -> Outcome:
    """Run the one kind of case or the other."""
    device = device_of(subject)
    if device.count < 2 and case.extra.get("where") != "the host":
        return not_checked(f"there is one device of kind {device.kind} here, and this takes two")
    return _mixed(case, subject) if case.extra else _elsewhere(case, subject)


def _elsewhere(case: Case, subject: Subject) -> Outcome:
    device = device_of(subject)
    call = make_call(subject.spec, case)
    there = placed(call, device)
    device.synchronize()
    with device.current(1):
        results = run_kernel(subject, there)
        still = device.current_index()
    device.synchronize()
    findings = [
        Finding(
            "wrong device",
            f"tensors on {device.first}, device 1 current: {wrong.message}. Make the tensors' device "
            "current before you launch or allocate.",
            {**wrong.details, "kind": wrong.kind},
        )
        for wrong in wrong_values(subject, case, call, results)
    ]
    findings += [
        Finding(
            "output on another device",
            f"an output is on {result.device}, the inputs on {device.first}",
        )
        for result in results
        if result.device != device.first
    ]
    if still != 1:
        message = f"device 1 was current before the call, and device {still} is after it"
        findings.append(Finding("current device changed", message))
    return failed(*findings) if findings else passed()


def _mixed(case: Case, subject: Subject) -> Outcome:
    device = device_of(subject)
    name, where = case.extra["argument"], case.extra["where"]
    call = make_call(subject.spec, case)
    if len(call.tensors) < 2:
        return not_checked("the operator takes one tensor: there is none to differ from")
    there = placed(call, device)
    other = call.tensors[name] if where == "the host" else there.tensors[name].to(device.other)
    try:
        run_kernel(subject, Call(subject.spec, {**there.arguments, name: other}))
        device.synchronize()
    except Exception as error:
        finding = unclear(error, f"argument `{name}` on {where}", argument=name)
        return failed(finding) if finding else passed(notes=(f"refused: {refused(error)}",))
    message = (
        f"argument `{name}` on {where}, the others on {device.first}: it was accepted. Refuse it with a "
        f"message that names `{name}`."
    )
    return failed(Finding("mixed devices not refused", message, {"argument": name}))


CHECK = Check(
    "device_guard",
    "a call runs where its tensors are, whichever device is current, and tensors of several are refused",
    cases,
    run,
    devices_only=True,
    spoils=True,
)
