"""The emulated target's second build, in which every memory access of the kernels is reported."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from opwright import frozen
from opwright.checks import emulation
from opwright.discovery import Described
from opwright.errors import OpwrightError
from opwright.process import run_command
from opwright.records.artifact import artifact_to_json
from opwright.records.run import CaseRecord, OperatorRecord, outcome_from_json
from opwright.records.verdict import Finding, Outcome, failed, not_checked
from opwright.session.building import build_request, request_for
from opwright.session.checking import checking
from opwright.session.subject import SETUP
from opwright.spec.operator import OperatorSpec
from opwright.spec.request import BuildRequest
from opwright.spec.target import Target
from opwright.worker import Ended, Result, Worker

# The emulator has the functions that code compiled so calls: it is not linked with a sanitizer.
_COMPILE = (
    *("-fsanitize=thread,undefined", "-fno-sanitize=vptr", "-fno-omit-frame-pointer"),
    *("-g", "-O1", "-Wno-psabi", "-Wno-tsan"),
)
# What no emulation can say of a kernel.
_ON_DEVICES_ALONE = {
    "memory_order": "only the chip shows in which order its threads see each other's writes",
    "timing": "an emulated run says nothing about speed",
}
_PLACE = re.compile(r"^(?P<file>.*?):(?P<line>\d+)", re.MULTILINE)
_SECONDS = 30.0


def watched(
    record: OperatorRecord,
    operator: str,
    described: Described,
    target: Target,
    *,
    binding: str | None = None,
) -> OperatorRecord:
    """The record with the cases of the watched build added. Raises what a build raises."""
    cases = tuple(watched_cases(operator, described, target, binding=binding))
    seconds = record.seconds + sum(case.seconds for case in cases)
    unplanned = {**record.unplanned, **_ON_DEVICES_ALONE}
    return replace(record, cases=(*record.cases, *cases), seconds=seconds, unplanned=unplanned)


def watched_cases(
    operator: str, described: Described, target: Target, *, binding: str | None = None
) -> Iterator[CaseRecord]:
    """What the emulator sees of the calls of a watched build. Raises what a build raises."""
    spec = described.spec
    request = request_for(spec, target, binding=binding)
    if request is None:
        reason = "a callable has no device source that could be emulated"
        yield CaseRecord(emulation.CHECK.name, "build", {}, not_checked(reason), 0.0)
        return
    artifact = build_request(_watched(request))
    payload = {
        "operator": operator,
        "artifact": artifact_to_json(artifact),
        "target": str(target),
    }
    with checking() as worker:
        worker.use(payload, setup=SETUP)
        yield from _run(worker, spec)


def _run(worker: Worker, spec: OperatorSpec) -> Iterator[CaseRecord]:
    cases = list(emulation.cases(spec))
    started = time.monotonic()
    for case, result in zip(cases, worker.run(case.to_json() for case in cases), strict=True):
        outcome = _placed(_judged(result), spec.folder)
        now = time.monotonic()
        yield CaseRecord(case.check, case.name, case.to_json(), outcome, now - started)
        started = now


def _watched(request: BuildRequest) -> BuildRequest:
    return frozen.replace(
        request,
        compile_flags=(*request.compile_flags, *_COMPILE),
        facts={**request.facts, "watched": True},
    )


def _judged(result: Result) -> Outcome:
    if isinstance(result, Ended):
        return failed(Finding("crash", result.message, {"stderr": result.stderr[-2000:]}))
    return outcome_from_json(result)


def _placed(outcome: Outcome, folder: Path) -> Outcome:
    """The outcome with the lines of accesses that the emulator knows by their addresses only."""
    return replace(outcome, findings=tuple(_with_place(f, folder) for f in outcome.findings))


def _with_place(finding: Finding, folder: Path) -> Finding:
    told = finding.details
    place = place_of(told["module"], told["offset"], folder) if told.get("module") else ""
    other = ""
    if told.get("other_module"):
        other = place_of(told["other_module"], told["other_offset"], folder)
    if not place:
        return finding
    message = f"{finding.message} at {place}" + (f", and at {other}" if other else "")
    return replace(finding, message=message, details={**told, "place": place})


def place_of(module: str, offset: int | str, folder: Path) -> str:
    """``kernel.cu:12`` of an address in a library: the operator's own line where one took part."""
    at = offset if isinstance(offset, str) else hex(offset)
    try:
        said = run_command(["addr2line", "-i", "-e", module, at], timeout_seconds=_SECONDS)
    except OpwrightError:
        return ""  # binutils are not there: the finding stays without a line
    places = [(Path(found["file"]).name, found["line"]) for found in _PLACE.finditer(said.stdout)]
    own = [(name, line) for name, line in places if (folder / name).is_file()]
    chosen = (own or places)[:1]
    return f"{chosen[0][0]}:{chosen[0][1]}" if chosen else ""
