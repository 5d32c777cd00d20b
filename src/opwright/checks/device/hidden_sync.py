"""Hidden synchronisation: a call gives work to the device and returns, without waiting for it."""

from __future__ import annotations

from collections.abc import Iterator

from opwright.checks.device.placed import device_of, placed, plain_cases, run_kernel
from opwright.checks.protocol import Check, Subject
from opwright.inputs.call import make_call
from opwright.records.verdict import Finding, Outcome, failed, passed
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec

_WARM_UP = 3
_DELAY_MS = 300.0


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """One a dtype."""
    return plain_cases("hidden_sync", spec)


def run(case: Case, subject: Subject) -> Outcome:
    """Keep the stream busy and call: if it is idle when the call returns, the call has waited for it."""
    device = device_of(subject)
    call = placed(make_call(subject.spec, case), device)
    side = device.stream()
    with device.using(side):
        kept = [
            run_kernel(subject, call) for _ in range(_WARM_UP)
        ]  # memory for the outputs to come
        device.synchronize()
        kept.clear()
        device.delay(_DELAY_MS)
        busy = device.event()
        run_kernel(subject, call)
        waited = busy.query()
    device.synchronize()
    if not waited:
        return passed()
    told = device.activity(lambda: run_kernel(subject, call)).told
    return failed(Finding("hidden synchronisation", f"{_MESSAGE}{told}"))


_MESSAGE = (
    "the call returns only when the stream has done all that it was given before: something in it waits "
    "for the device (a synchronise, a copy to the host, .item(), an allocation that is not PyTorch's). "
    "Leave the waiting to the caller."
)

CHECK = Check(
    "hidden_sync",
    "a call does not wait for the device",
    cases,
    run,
    devices_only=True,
)
