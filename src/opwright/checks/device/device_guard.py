"""Device guard: the call runs where its tensors are, whichever device is current, and mixes none."""

from __future__ import annotations

import itertools
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

# Index of the tensors' device, and of the current one.
_PAIRS = ((0, 1), (1, 0))


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """Tensors on one device, another one current; and each argument in turn on the host, and elsewhere."""
    for case, (where, current) in itertools.product(plain_cases("device_guard", spec), _PAIRS):
        extra = {"where": where, "current": current}
        yield replace(case, name=f"{case.name} on device {where}, {current} current", extra=extra)
    for case in list(plain_cases("device_guard", spec))[:1]:
        for argument in spec.schema.tensors:
            for place in ("the host", "another device"):
                mixed = {"argument": argument.name, "where": place}
                yield replace(case, name=f"{argument.name} on {place}", extra=mixed)


def run(case: Case, subject: Subject) -> Outcome:
    """Run the one kind of case or the other."""
    device = device_of(subject)
    if device.count < 2 and case.extra["where"] != "the host":
        return not_checked(f"there is one device of kind {device.kind} here, and this takes two")
    return _mixed(case, subject) if "argument" in case.extra else _elsewhere(case, subject)


def _elsewhere(case: Case, subject: Subject) -> Outcome:
    device, where, current = device_of(subject), case.extra["where"], case.extra["current"]
    call = make_call(subject.spec, case)
    there = placed(call, device, where)
    device.synchronize(where)
    try:
        with device.current(current):
            results = run_kernel(subject, there)
            still = device.current_index()
        device.synchronize(where)
    except Exception as error:
        return failed(_wrong_device(where, current, refused(error)))
    findings = [
        _wrong_device(where, current, wrong.message)
        for wrong in wrong_values(subject, case, call, results)
    ]
    findings += [
        Finding(
            "output on another device", f"an output is on {r.device}, the inputs on device {where}"
        )
        for r in results
        if r.device.index != where
    ]
    if still != current:
        message = f"device {current} was current before the call, and device {still} is after it"
        findings.append(Finding("current device changed", message))
    return failed(*findings) if findings else passed()


def _wrong_device(where: int, current: int, what: str) -> Finding:
    return Finding(
        "wrong device",
        f"tensors on device {where}, device {current} current: {what}. Make the tensors' device current "
        "before you launch or allocate.",
        {"where": where, "current": current},
    )


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
