"""The emulated target's second build, in which every memory access of the kernels is reported."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from opwright import frozen
from opwright.checks import emulation
from opwright.emulator.layout import WATCHED_FLAGS
from opwright.records.run import CaseRecord, OperatorRecord
from opwright.records.verdict import Outcome, not_checked
from opwright.session.building import build_request, request_for
from opwright.session.cases import Watcher, put_under_test, run_cases
from opwright.session.placing import placed
from opwright.session.whole import with_whole
from opwright.spec.described import Described
from opwright.spec.request import BuildRequest
from opwright.spec.target import Target
from opwright.worker import Worker

_COMPILE = (*WATCHED_FLAGS, "-fno-omit-frame-pointer", "-Wno-psabi", "-Wno-tsan")


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
        return placed(outcome, spec.folder)

    return run_cases(worker, spec.name, list(emulation.cases(spec)), judge=judge, watcher=watcher)


def _watched(request: BuildRequest) -> BuildRequest:
    return frozen.replace(
        request,
        compile_flags=(*request.compile_flags, *_COMPILE),
        facts={**request.facts, "watched": True},
    )
