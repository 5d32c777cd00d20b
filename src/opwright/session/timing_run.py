"""Show on one call of an operator what a clock measures, with and without waiting for the device."""

from __future__ import annotations

import functools
from dataclasses import asdict
from typing import Any

from opwright.checks.device.placed import placed
from opwright.devices.device import device_for, require_device
from opwright.discovery import find_one
from opwright.errors import UsageError, WorkerError
from opwright.inputs.call import make_call
from opwright.measure.synchronising import EARLIER_MS, device_time_us, four_ways, sees_device
from opwright.records.timing import Combination, Span, Timing
from opwright.session.bench_cases import bench_cases
from opwright.session.recording import label_of
from opwright.spec.case import case_from_json
from opwright.spec.shape_file import Listed
from opwright.spec.target import Target, parse_target
from opwright.worker import Ended, Limits, Worker

_SETUP = "opwright.session.timing_run:set_up"
_PRELOAD = ("torch", "opwright.session.timing_run")
_SECONDS = 600.0  # a simulated device is built first
_WARM_UP_CALLS = 5


def show_timing(operator: str, target: Target, shapes: Listed | None) -> Timing:
    """Time the first case of the operator in all four ways, in a process of its own.

    Raises `UsageError` for a target whose calls nobody can time, and what builds and workers raise.
    """
    if target.kind in {"emulated", "npu"}:
        raise UsageError(
            f"nothing can be shown on the target {target}",
            hint="Use --target cpu, cuda, or simulated, which shows streams without a device.",
        )
    require_device(target)
    spec = find_one(operator).spec
    case = bench_cases(spec, shapes)[0]
    payload = {"operator": operator, "target": str(target)}
    limits = Limits(case_seconds=_SECONDS, setup_seconds=_SECONDS)
    with Worker(_SETUP, payload, preload=_PRELOAD, limits=limits) as worker:
        answer = next(worker.run([case.to_json()]))
    if isinstance(answer, Ended):
        raise WorkerError(
            f"timing {spec.name} came to no end: {answer.message}",
            hint=f"Run `opwright check` on the operator first.\n{answer.stack or answer.stderr}",
        )
    return Timing(
        operator=spec.name,
        target=str(target),
        label=label_of(target),
        case=case.name,
        earlier_us=0.0 if target.device_type == "cpu" else 1e3 * EARLIER_MS,
        combinations=tuple(map(_combination, answer["combinations"])),
        device_us=answer["device_us"],
        spans_from=answer["spans_from"],
    )


def set_up(payload: dict[str, Any]) -> Any:
    """The worker's side: load the operator; returns what times a case in all four ways."""
    target = parse_target(payload["target"])
    described: Any = find_one(payload["operator"])
    described.load(payload["target"])
    device = device_for(target)

    def answer(item: dict[str, Any]) -> dict[str, Any]:
        call = make_call(described.spec, case_from_json(item))
        call = placed(call, device) if device else call
        positional, keywords = described.spec.schema.as_call(call.arguments)
        run = functools.partial(described, *positional, **keywords)
        for _ in range(_WARM_UP_CALLS):
            run()
        return {
            "combinations": [asdict(each) for each in four_ways(run, device)],
            "device_us": device_time_us(run, device) if device else None,
            "spans_from": _source_of_spans(device),
        }

    return answer


def _source_of_spans(device: Any) -> str:
    if device is None:
        return ""
    if sees_device(device):
        return "Lanes as the profiler recorded them."
    return "Lanes from events on the stream: the profiler does not see this device."


def _combination(plain: dict[str, Any]) -> Combination:
    lists = {
        "times_us": tuple(plain["times_us"]),
        "clock_us": tuple(plain["clock_us"]),
        "spans": tuple(Span(**span) for span in plain["spans"]),
    }
    return Combination(**{**plain, **lists})
