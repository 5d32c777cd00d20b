"""Capture: the operator can be recorded in a graph, and a replay computes from what is there by then."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from opwright.checks.device.placed import (
    copy_values,
    device_of,
    other_call,
    placed,
    plain_cases,
    run_kernel,
    wrong_values,
)
from opwright.checks.judging.refusals import refused
from opwright.checks.protocol import Check, Subject
from opwright.devices.device import Device
from opwright.devices.placement import storage_bytes
from opwright.inputs.call import Call, make_call
from opwright.records.verdict import Finding, Outcome, failed, not_checked, passed
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec

_REPLAYS = 3


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """One a dtype."""
    return plain_cases("capture", spec)


def run(case: Case, subject: Subject) -> Outcome:
    """Capture one call; replay it with other values in its inputs, and rubbish in its outputs."""
    device = device_of(subject)
    graph = device.graph()
    if graph is None:
        return not_checked(f"torch has no graphs for devices of kind {device.kind}")
    static = placed(make_call(subject.spec, case), device)
    try:
        results = _captured(subject, device, graph, static)
    except Exception as error:
        unusable = tuple(_unusable(case, subject, device))
        again = placed(make_call(subject.spec, case), device)
        told = "" if unusable else device.activity(lambda: run_kernel(subject, again)).told
        return failed(_uncapturable(error, told), *unusable)
    for number in range(1, _REPLAYS + 1):
        call = other_call(subject, case, number)
        copy_values(static, placed(call, device))
        for tensor in results[: len(results) - len(static.written)]:
            _spoil(tensor)
        graph.replay()
        device.synchronize()
        wrong = wrong_values(subject, case, call, results)
        if wrong:
            return failed(*(_finding(finding, number) for finding in wrong))
    return passed({"replays": _REPLAYS})


def _captured(subject: Subject, device: Device, graph: Any, call: Call) -> list[torch.Tensor]:
    """The results whose memory every replay writes. Raises what is not allowed while capturing."""
    side = device.stream()
    with device.using(side):
        run_kernel(subject, call)  # so that nothing is set up for the first time in the graph
    device.synchronize()
    with device.capturing(graph, side):
        return run_kernel(subject, call)


def _spoil(tensor: torch.Tensor) -> None:
    storage_bytes(tensor).fill_(0xA5)


def _uncapturable(error: Exception, told: str) -> Finding:
    return Finding(
        "cannot be captured",
        f"a call inside a graph's capture fails: {refused(error)}. While capturing nothing may wait for "
        f"the device, allocate memory that is not PyTorch's, or use a stream that is not part of it.{told}",
    )


def _unusable(case: Case, subject: Subject, device: Device) -> Iterator[Finding]:
    """Whether the process can go on after a capture that failed."""
    try:
        run_kernel(subject, placed(make_call(subject.spec, case), device))
        device.synchronize()
    except Exception as error:
        yield Finding(
            "process unusable after a failed capture",
            f"after the capture failed, an ordinary call fails too: {refused(error)}",
        )


def _finding(wrong: Finding, replay: int) -> Finding:
    message = (
        f"replay {replay} of a captured call, with other values in its inputs: {wrong.message}. What the "
        "host computes in a call is not computed again, and what was put on another stream is not in the "
        "graph."
    )
    return Finding("wrong on replay", message, {**wrong.details, "kind": wrong.kind})


CHECK = Check(
    "capture",
    "the operator can be captured in a graph, and every replay computes from the values of its time",
    cases,
    run,
    spoils=True,
    devices_only=True,
)
