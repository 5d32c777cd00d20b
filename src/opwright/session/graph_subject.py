"""The worker's side of a run of graph modes: load the operator, then answer trial after trial."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from opwright.binding.attach import attach
from opwright.binding.call import quick_call
from opwright.binding.dispatch import DispatcherOp, dispatcher_op
from opwright.checks.judging.outputs import expect, findings_of, judge_call
from opwright.devices.device import Device, device_for
from opwright.devices.faults import DeviceFault
from opwright.discovery import find_one
from opwright.graph.arrangement import arrangement_named
from opwright.graph.differences import Allowed
from opwright.graph.modes import parse_mode
from opwright.graph.protocol import Setting
from opwright.graph.trial import run_trial
from opwright.inputs.call import Call
from opwright.records.artifact import artifact_from_json
from opwright.records.verdict import Finding
from opwright.spec.case import Case, case_from_json
from opwright.spec.operator import OperatorSpec
from opwright.spec.target import Target, parse_target

SETUP = "opwright.session.graph_subject:set_up"
PRELOAD = (
    "torch",
    "opwright.session.graph_subject",
    "torch._dynamo",
    "torch._functorch.aot_autograd",
)


def set_up(payload: dict[str, Any]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Load the operator that ``payload`` names; returns what makes a trial."""
    target = parse_target(payload["target"])
    device = _device(target)
    spec = find_one(payload["operator"]).spec
    dispatcher = dispatcher_op(spec)
    artifact = payload["artifact"]
    attach(dispatcher, target, artifact_from_json(artifact) if artifact else None)
    stage = Path(payload["stage"])

    def answer(item: dict[str, Any]) -> dict[str, Any]:
        setting = _setting(dispatcher, device, item, stage)
        mode, _ = parse_mode(item["mode"])
        try:
            return {**asdict(run_trial(mode, setting)), "dirty": True}
        except DeviceFault as fault:
            return {"fault": f"the device reports: {fault}", "dirty": True}

    return answer


def _setting(
    dispatcher: DispatcherOp, device: Device | None, item: dict[str, Any], stage: Path
) -> Setting:
    spec = dispatcher.spec
    tolerance = item["tolerance"]
    mode, option = parse_mode(item["mode"])
    function = quick_call(spec, dispatcher.overload, dispatcher.record())
    if mode.sees_inside is not None and mode.sees_inside(option):
        function = spec.function or function
    return Setting(
        spec,
        function,
        f"{dispatcher.namespace}::{spec.name}",
        device,
        arrangement_named(item["arrangement"]),
        item["how"],
        option,
        tuple(case_from_json(case) for case in item["cases"]),
        Allowed(tuple(tolerance) if tolerance else None),
        _judge(spec),
        lambda name: _note(stage, name),
    )


def _judge(spec: OperatorSpec) -> Callable[..., tuple[Finding, ...]]:
    def judge(case: Case, call: Call, results: Sequence[torch.Tensor]) -> tuple[Finding, ...]:
        return findings_of(judge_call(expect(spec, case, call), results, call))

    return judge


def _note(stage: Path, name: str) -> None:
    stage.write_text(name, encoding="utf-8")


def _device(target: Target) -> Device | None:
    if target.kind == "simulated":
        from opwright.session.simulating import simulated_device

        simulated_device()
    if target.kind == "npu":
        return Device(target.device_type)
    return device_for(target)
