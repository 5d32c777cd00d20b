"""The worker's side of a check run: load the operator under test, then answer case after case."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from opwright.binding.attach import attach
from opwright.binding.dispatch import dispatcher_op
from opwright.binding.emulation import Emulation
from opwright.checks.judging.emulated import drain_findings, explained_launches
from opwright.checks.protocol import Subject, Surroundings
from opwright.checks.state.floating_point import control_state
from opwright.checks.state.process import process_state
from opwright.checks.table import check_named
from opwright.devices.device import Device, device_for
from opwright.devices.faults import DeviceFault
from opwright.discovery import find_one
from opwright.errors import ReferenceFailed, SpecError
from opwright.records.artifact import artifact_from_json
from opwright.records.verdict import Finding, Outcome, errored, failed
from opwright.spec.case import case_from_json
from opwright.spec.operator import OperatorSpec
from opwright.spec.target import Target, parse_target

SETUP = "opwright.session.subject:set_up"
# The third is what autograd imports when it first checks a shape: that changes warning filters.
PRELOAD = (
    "torch",
    "opwright.session.subject",
    "torch.fx.experimental.symbolic_shapes",
)
# Seconds, which each child of a check that compiles would take.
COMPILER = ("torch._dynamo", "torch._functorch.aot_autograd")
# A second more. It looks for a GPU when it is imported: after that no fork could use one.
INDUCTOR = "torch._inductor.compile_fx"


def set_up(payload: dict[str, Any]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Load the operator that ``payload`` names; returns what answers a case."""
    subject = _subject(payload)

    def answer(item: dict[str, Any]) -> dict[str, Any]:
        case = case_from_json(item)
        check = check_named(case.check)
        if subject.emulation is None:
            outcome = _judged(lambda: check.run(case, subject))
        else:
            with explained_launches(subject.emulation):
                outcome = _judged(lambda: check.run(case, subject))
            outcome = drain_findings(outcome, subject.emulation)
        fatal = any(finding.details.get("fatal") for finding in outcome.findings)
        dirty = outcome.verdict == "fail" and (check.spoils or fatal)
        return {**asdict(outcome), "dirty": dirty}

    return answer


def _judged(run: Callable[[], Outcome]) -> Outcome:
    """What went wrong on our side or the reference's is no fault of the operator."""
    try:
        return run()
    except DeviceFault as fault:
        return failed(Finding("device fault", f"the device reports: {fault}", {"fatal": True}))
    except ReferenceFailed as error:
        return errored(str(error))
    except SpecError as error:
        return errored(str(error))


def _subject(payload: dict[str, Any]) -> Subject:
    """The operator at its place in the dispatcher, with the kernel that was built for it."""
    target = parse_target(payload["target"])
    device = _device(target)
    before = _surroundings()
    spec = find_one(payload["operator"]).spec
    dispatcher = dispatcher_op(spec)
    artifact = artifact_from_json(payload["artifact"]) if payload["artifact"] else None
    attach(dispatcher, target, artifact)
    lacking = attach_backwards(spec, target, payload.get("backwards", []))
    call = device.on_host_tensors(dispatcher.overload) if device else dispatcher.overload
    emulation = Emulation(artifact) if artifact and artifact.facts.get("emulated") else None
    kernel = dispatcher.overload if device else None
    return Subject(spec, call, before, _surroundings(), emulation, device, kernel, lacking)


def attach_backwards(
    spec: OperatorSpec, target: Target, backwards: list[tuple[dict[str, Any] | None, str]]
) -> str:
    """Give each backward its kernel; returns why one has none, empty where all have theirs."""
    if not backwards and spec.backwards:
        return "the kernels of its backwards are not loaded here"
    for backward, (artifact, lacking) in zip(spec.backwards, backwards, strict=True):
        if lacking:
            return lacking
        attach(dispatcher_op(backward), target, artifact_from_json(artifact) if artifact else None)
        _attach_functions(backward.backwards, target)
    return ""


def _attach_functions(backwards: Sequence[OperatorSpec], target: Target) -> None:
    """Give each further derivative its kernel: it is the reference's, a function at every level."""
    for backward in backwards:
        attach(dispatcher_op(backward), target, None)
        _attach_functions(backward.backwards, target)


def _device(target: Target) -> Device | None:
    if target.kind == "simulated":
        from opwright.session.simulating import simulated_device

        simulated_device()
    return device_for(target)


def _surroundings() -> Surroundings:
    return Surroundings(process_state(), control_state(threads=False))
