"""``--sanitize``: an instrumented build of the operator, run with the sanitizers' libraries preloaded."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from pathlib import Path

from opwright import frozen
from opwright.checks import sanitizers
from opwright.errors import LoadError, WorkerError
from opwright.records.run import CaseRecord, OperatorRecord
from opwright.records.verdict import Outcome, failed, not_checked
from opwright.session.building import build_request, request_for
from opwright.session.cases import Watcher, put_under_test, run_cases
from opwright.session.checking import checking
from opwright.session.sanitizer_report import sanitizer_findings
from opwright.session.whole import with_whole
from opwright.spec.described import Described
from opwright.spec.request import BuildRequest
from opwright.spec.target import Target
from opwright.toolchain.sanitizers import sanitizer_libraries

_COMPILE = (
    *("-fsanitize=address,undefined", "-fno-sanitize=vptr", "-fno-omit-frame-pointer"),
    *("-g", "-O1", "-Wno-psabi"),
)
_LINK = ("-fsanitize=address,undefined",)
# Torch and Python do not free everything at the end, and mix operators of allocation; protect_shadow_gap
# keeps devices' drivers working.
_ASAN = "detect_leaks=0:alloc_dealloc_mismatch=0:protect_shadow_gap=0:verify_asan_link_order=0"
_UBSAN = "print_stacktrace=0"
_GET = "Install it (`apt-get install libasan8 libubsan1` or `dnf install libasan libubsan`)."


def sanitized(
    record: OperatorRecord,
    operator: str,
    described: Described,
    target: Target,
    *,
    binding: str | None = None,
    watcher: Watcher | None = None,
) -> OperatorRecord:
    """The record with the cases of an instrumented build added. Raises what a build raises."""
    cases = sanitizer_cases(operator, described, target, binding=binding, watcher=watcher)
    seconds = record.seconds + sum(case.seconds for case in cases)
    return replace(record, cases=(*record.cases, *cases), seconds=seconds)


def sanitizer_cases(
    operator: str,
    described: Described,
    target: Target,
    *,
    binding: str | None = None,
    watcher: Watcher | None = None,
) -> tuple[CaseRecord, ...]:
    """What the sanitizers say of the calls of an instrumented build. Raises what a build raises."""
    request = request_for(described.spec, target, binding=binding)
    if request is None:
        return (_not_run("a callable is not compiled: there is nothing to instrument"),)
    libraries = sanitizer_libraries()
    if not libraries:
        return (_not_run(f"the compiler has no AddressSanitizer library. {_GET}"),)
    environment = {
        "LD_PRELOAD": " ".join([*map(str, libraries), *os.environ.get("LD_PRELOAD", "").split()]),
        "ASAN_OPTIONS": _ASAN,
        "UBSAN_OPTIONS": _UBSAN,
    }
    spec = described.spec
    with checking((sanitizers.CHECK,), environment=environment) as worker:
        judge = partial(_judged, folder=spec.folder)
        cases = list(sanitizers.cases(spec))
        try:
            with_whole(
                partial(build_request, _instrumented(request)),
                partial(put_under_test, worker, operator, target),
            )
            return run_cases(worker, spec.name, cases, judge=judge, watcher=watcher)
        except (LoadError, WorkerError) as error:
            return (_not_run(f"an instrumented library does not run here: {error}"),)


def _instrumented(request: BuildRequest) -> BuildRequest:
    return frozen.replace(
        request,
        compile_flags=(*request.compile_flags, *_COMPILE),
        link_flags=(*request.link_flags, *_LINK),
        facts={**request.facts, "sanitized": True},
    )


def _judged(outcome: Outcome, stderr: str, folder: Path) -> Outcome:
    """What the sanitizers say weighs more than how the process ended, but is no fault of the reference's."""
    findings = () if outcome.verdict == "error" else tuple(sanitizer_findings(stderr, folder))
    return failed(*findings) if findings else outcome


def _not_run(reason: str) -> CaseRecord:
    return CaseRecord(sanitizers.CHECK.name, "build", {}, not_checked(reason), 0.0)
