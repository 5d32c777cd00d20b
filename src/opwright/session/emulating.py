"""The emulated target's second build, in which every memory access of the kernels is reported."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from opwright import frozen
from opwright.checks import emulation
from opwright.discovery import Described
from opwright.emulator.findings import Places, find_places
from opwright.emulator.layout import WATCHED_FLAGS
from opwright.records.run import CaseRecord, OperatorRecord
from opwright.records.verdict import Finding, Outcome, not_checked
from opwright.session.building import build_request, request_for
from opwright.session.cases import Watcher, put_under_test, run_cases
from opwright.session.whole import with_whole
from opwright.spec.request import BuildRequest
from opwright.spec.target import Target
from opwright.worker import Worker

_COMPILE = (*WATCHED_FLAGS, "-fno-omit-frame-pointer", "-Wno-psabi", "-Wno-tsan")
# The access that a finding is of, and the other one of a race: prefixes in the emulator's report.
_WAYS = ("", "other_")


def watched(
    record: OperatorRecord,
    worker: Worker,
    operator: str,
    described: Described,
    target: Target,
    *,
    binding: str | None = None,
    watcher: Watcher | None = None,
) -> OperatorRecord:
    """The record with the cases of the watched build added. Raises what a build raises."""
    cases = watched_cases(worker, operator, described, target, binding=binding, watcher=watcher)
    seconds = record.seconds + sum(case.seconds for case in cases)
    return replace(record, cases=(*record.cases, *cases), seconds=seconds)


def watched_cases(
    worker: Worker,
    operator: str,
    described: Described,
    target: Target,
    *,
    binding: str | None = None,
    watcher: Watcher | None = None,
) -> tuple[CaseRecord, ...]:
    """What the emulator sees of the calls of a watched build, in ``worker``. Raises what a build raises."""
    spec = described.spec
    request = request_for(spec, target, binding=binding)
    if request is None:
        reason = "a callable has no device source that could be emulated"
        return (CaseRecord(emulation.CHECK.name, "build", {}, not_checked(reason), 0.0),)
    with_whole(
        partial(build_request, _watched(request)),
        partial(put_under_test, worker, operator, target),
    )

    def judge(outcome: Outcome, stderr: str) -> Outcome:
        del stderr
        return _placed(outcome, spec.folder)

    return run_cases(worker, spec.name, list(emulation.cases(spec)), judge=judge, watcher=watcher)


def _watched(request: BuildRequest) -> BuildRequest:
    return frozen.replace(
        request,
        compile_flags=(*request.compile_flags, *_COMPILE),
        facts={**request.facts, "watched": True},
    )


def _placed(outcome: Outcome, folder: Path) -> Outcome:
    """The outcome with the lines of accesses that the emulator knows by their addresses only."""
    kernels = outcome.figures.get("kernels", [])
    told = [finding.details for finding in outcome.findings]
    told += [hint for kernel in kernels for hint in kernel.get("hints", [])]
    places = find_places(at for each in told for way in _WAYS if (at := _address(each, way)))
    found = tuple(_with_place(finding, places, folder) for finding in outcome.findings)
    if not kernels:
        return replace(outcome, findings=found)
    hinted = [
        {**kernel, "hints": [_hint(each, places, folder) for each in kernel.get("hints", [])]}
        for kernel in kernels
    ]
    return replace(outcome, findings=found, figures={**outcome.figures, "kernels": hinted})


def _hint(told: dict[str, Any], places: Places, folder: Path) -> str:
    """``kernel.cu:12: 8 lanes of a wave meet in one bank of shared memory``."""
    at = _line(places, _address(told, ""), folder)
    return f"{at}: {told['message']}" if at else str(told["message"])


def _address(told: dict[str, Any], way: str) -> tuple[str, int] | None:
    module = told.get(f"{way}module")
    return (module, int(told[f"{way}offset"])) if module else None


def _with_place(finding: Finding, places: Places, folder: Path) -> Finding:
    at, other = (_line(places, _address(finding.details, way), folder) for way in _WAYS)
    if not at:
        return finding
    message = f"{finding.message} at {at}" + (f", and at {other}" if other else "")
    return replace(finding, message=message, details={**finding.details, "place": at})


def _line(places: Places, address: tuple[str, int] | None, folder: Path) -> str:
    """``kernel.cu:12``; the whole path of a file that is not the operator's."""
    if address is None or address not in places:
        return ""
    file, line = places[address]
    path = Path(file)
    return f"{path.relative_to(folder) if path.is_relative_to(folder) else path}:{line}"
