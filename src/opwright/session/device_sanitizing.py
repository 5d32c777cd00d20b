"""``--sanitize`` on CUDA: calls of a build with line numbers, under NVIDIA's compute-sanitizer."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from opwright import frozen
from opwright.checks.device import device_sanitizers
from opwright.process import run_command
from opwright.records.run import CaseRecord, OperatorRecord
from opwright.records.verdict import Finding, Outcome, failed, not_checked, passed
from opwright.session.architecture import with_architecture
from opwright.session.building import build_request, request_for
from opwright.session.cases import payload_of
from opwright.session.sanitizer_child import MARK
from opwright.spec.case import Case
from opwright.spec.described import Described
from opwright.spec.operator import OperatorSpec
from opwright.spec.target import Target

CHECK = device_sanitizers.CHECK.name
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")

_SECONDS = 300.0
_AT = re.compile(
    r"(?:at|access at) (?P<kernel>.+?)\+0x[0-9a-f]+(?: in (?P<file>[^\s:]+):(?P<line>\d+))?"
)
_THREAD = re.compile(r"by thread \((?P<thread>[\d,]+)\) in block \((?P<block>[\d,]+)\)")


def device_sanitized(
    record: OperatorRecord,
    operator: str,
    described: Described,
    target: Target,
    *,
    binding: str | None = None,
) -> OperatorRecord:
    """The record with what each tool says of each call added. Raises what a build raises."""
    cases = tuple(_cases(operator, described, target, binding))
    seconds = record.seconds + sum(case.seconds for case in cases)
    return replace(record, cases=(*record.cases, *cases), seconds=seconds)


def _cases(
    operator: str, described: Described, target: Target, binding: str | None
) -> Iterator[CaseRecord]:
    program = shutil.which("compute-sanitizer")
    request = request_for(described.spec, with_architecture(target), binding=binding)
    if program is None or request is None:
        why = "compute-sanitizer is not on PATH" if request else "a callable is not compiled here"
        yield CaseRecord(CHECK, "build", {}, not_checked(why), 0.0)
        return
    flags = (*request.compile_flags, "-lineinfo")
    artifact = build_request(frozen.replace(request, compile_flags=flags))
    cases = list(device_sanitizers.cases(described.spec))
    with tempfile.TemporaryDirectory(prefix="opwright-sanitizer-") as folder:
        asked = Path(folder) / "asked.json"
        payload = payload_of(operator, artifact, target)
        asked.write_text(json.dumps({"payload": payload, "cases": [c.to_json() for c in cases]}))
        with ThreadPoolExecutor(len(TOOLS)) as pool:
            for found in pool.map(
                lambda tool: _run(program, tool, asked, cases, described.spec), TOOLS
            ):
                yield from found


def _run(
    program: str, tool: str, asked: Path, cases: Sequence[Case], spec: OperatorSpec
) -> list[CaseRecord]:
    started = time.monotonic()
    command = [program, "--tool", tool, "--show-backtrace", "no"]
    child = [sys.executable, "-m", "opwright.session.sanitizer_child", str(asked)]
    # With the allocator's cache on, a stray access falls into a neighbour that is there.
    environment = {**os.environ, "PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}
    said = run_command([*command, *child], env=environment, timeout_seconds=_SECONDS)
    parts = said_by_case(said.stdout)
    seconds = (time.monotonic() - started) / len(cases)
    # A tool that did not come to its summary has watched nothing to its end.
    summed_up = "SUMMARY:" in said.stdout
    records = []
    for number, case in enumerate(cases):
        outcome = case_outcome(tool, parts, number, spec.folder, summed_up=summed_up)
        named = replace(case, name=f"{tool}: {case.name}")
        records.append(CaseRecord(CHECK, named.name, named.to_json(), outcome, seconds))
    return records


def case_outcome(
    tool: str, parts: Mapping[str, str], number: int, folder: Path, *, summed_up: bool
) -> Outcome:
    """What a tool's words say of one case: a pass only where case and tool came to their ends."""
    said = parts.get(str(number))
    if said is None:
        return not_checked(f"under {tool} the process ended before this case")
    findings = tuple(sanitizer_findings(tool, said, folder))
    if findings:
        return failed(*findings)
    if list(parts)[-1] == str(number):  # not even the mark of the end came after it
        return not_checked(f"under {tool} the process ended during this case")
    return passed() if summed_up else not_checked(f"{tool} gave no summary of what it has seen")


def said_by_case(text: str) -> dict[str, str]:
    """What was printed after each case's mark, up to the next one."""
    _, *parts = text.split(MARK)
    pairs = (part.partition("\n") for part in parts)
    return {number.strip(): said for number, _, said in pairs}


def sanitizer_findings(tool: str, said: str, folder: Path) -> Iterator[Finding]:
    """Each report once a place; those on kernels without a line of the user's are PyTorch's own."""
    seen = set()
    for report in _reports(said):
        at = _AT.search(report)
        file = Path(at["file"]).name if at and at["file"] else ""
        own = bool(file) and (folder / file).is_file()
        place = f"{file}:{at['line']}" if at and own else (at["kernel"] if at else "")
        if (not own and tool != "memcheck") or place in seen or not place:
            continue
        seen.add(place)
        thread = _THREAD.search(report)
        where = f", thread ({thread['thread']}) of block ({thread['block']})" if thread else ""
        what = report.partition("\n")[0].removeprefix("Error: ")
        yield Finding(
            "sanitizer",
            f"{tool}: {what} at {place}{where}",
            {"tool": tool, "place": place, "report": report[:4000]},
        )


def _reports(said: str) -> Iterator[str]:
    """Reports begin with a line that is not indented behind the sanitizer's mark."""
    report: list[str] = []
    for line in said.splitlines():
        if not line.startswith("========="):
            continue
        text = line.removeprefix("=========").removeprefix(" ")
        if text.startswith(" ") and report:
            report.append(text.strip())
            continue
        if report:
            yield "\n".join(report)
        report = (
            [text]
            if text.strip()
            and not text.startswith(("COMPUTE-SANITIZER", "ERROR SUMM", "RACECHECK SUMM"))
            else []
        )
    if report:
        yield "\n".join(report)
