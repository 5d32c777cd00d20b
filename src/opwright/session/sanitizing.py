"""``--sanitize``: an instrumented build of the operator, run with the sanitizers' libraries preloaded."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from opwright import frozen
from opwright.checks import sanitizers
from opwright.discovery import Described
from opwright.errors import LoadError, WorkerError
from opwright.process import run_command
from opwright.records.run import CaseRecord, OperatorRecord
from opwright.records.verdict import Finding, Outcome, failed, not_checked
from opwright.session.building import build_request, request_for
from opwright.session.cases import Watcher, put_under_test, run_cases
from opwright.session.checking import checking
from opwright.session.whole import with_whole
from opwright.spec.request import BuildRequest
from opwright.spec.target import Target
from opwright.toolchain.registry import toolchain_for

_COMPILE = (
    *("-fsanitize=address,undefined", "-fno-sanitize=vptr", "-fno-omit-frame-pointer"),
    *("-g", "-O1", "-Wno-psabi"),
)
_LINK = ("-fsanitize=address,undefined",)
# Torch and Python do not free everything at the end, and mix operators of allocation; protect_shadow_gap
# keeps devices' drivers working.
_ASAN = "detect_leaks=0:alloc_dealloc_mismatch=0:protect_shadow_gap=0:verify_asan_link_order=0"
_UBSAN = "print_stacktrace=0"
_PROBE_SECONDS = 60.0
_GET = "Install it (`apt-get install libasan8 libubsan1` or `dnf install libasan libubsan`)."

_UNDEFINED = re.compile(r"^(?P<place>\S+?:\d+):\d+: runtime error: (?P<what>.+)$", re.MULTILINE)
_SUMMARY = re.compile(r"ERROR: AddressSanitizer: (?P<what>[\w-]+)")
_ACCESS = re.compile(r"^(?P<access>(?:READ|WRITE) of size \d+)", re.MULTILINE)
_FRAME = re.compile(r"^\s+#\d+ 0x\w+ in .*? (?P<file>\S+?):(?P<line>\d+)(?::\d+)?$", re.MULTILINE)


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
    with checking(environment=environment) as worker:
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


def sanitizer_libraries() -> list[Path]:
    """AddressSanitizer's library, as the C++ compiler names it, and what it needs; empty without one."""
    environment = dict(os.environ)
    driver = toolchain_for(Target("cpu")).find_driver(environment)

    def found(name: str) -> Path | None:
        asked = [*driver, f"-print-file-name={name}"]
        said = run_command(asked, env=environment, timeout_seconds=_PROBE_SECONDS)
        path = Path(said.stdout.strip())
        return path.resolve() if said.ok and path.is_absolute() and path.is_file() else None

    runtime = found("libasan.so") or found(f"libclang_rt.asan-{platform.machine()}.so")
    # It looks for __cxa_throw when it starts, long before torch brings the C++ library.
    cxx = found("libstdc++.so.6")
    return [path for path in (runtime, cxx) if path is not None] if runtime else []


def sanitizer_findings(stderr: str, folder: Path) -> Iterator[Finding]:
    """What the sanitizers wrote, once for each place; the line is the user's where one took part."""
    seen = set()
    for found in _UNDEFINED.finditer(stderr):
        place, what = _short(found["place"], folder), found["what"]
        if place not in seen:
            seen.add(place)
            yield Finding("sanitizer", f"{what} at {place}", {"tool": "UBSan", "place": place})
    summary = _SUMMARY.search(stderr)
    if summary is None:
        return
    report = stderr[summary.start() :]
    place = next(_users_places(report, folder), "a place without a line")
    access = _ACCESS.search(report)
    told = f", {access['access']}" if access else ""
    yield Finding(
        "sanitizer",
        f"{summary['what']}{told} at {place}",
        {"tool": "AddressSanitizer", "place": place, "report": report[:4000]},
    )


def _users_places(report: str, folder: Path) -> Iterator[str]:
    """Frames in the operator's own files first, then any with a line."""
    frames = [(frame["file"], frame["line"]) for frame in _FRAME.finditer(report)]
    own = [(file, line) for file, line in frames if (folder / Path(file).name).is_file()]
    for file, line in [*own, *frames]:
        yield _short(f"{file}:{line}", folder)


def _short(place: str, folder: Path) -> str:
    file, _, line = place.rpartition(":")
    return f"{Path(file).name if (folder / Path(file).name).is_file() else file}:{line}"


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
    return CaseRecord("sanitizers", "build", {}, not_checked(reason), 0.0)
