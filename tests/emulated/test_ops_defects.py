"""Every planted fault of device code is found on the emulated target, with the line of the user's source."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from opwright.discovery import find_one
from opwright.errors import CompileError
from opwright.records.run import CaseRecord
from opwright.session.checking import check_operator, checking
from opwright.session.emulating import watched_cases
from opwright.session.planted import Expected, read_defect
from opwright.spec.target import Target, parse_target
from opwright.worker import Worker

FOLDERS = sorted(
    path.parent for path in (Path(__file__).parent.parent / "emulated_defects").glob("*/op.py")
)
QUICK = {"inline_assembly"}  # found before anything is compiled
# What each of them is a fault of, by a word of its finding's kind: the emulator's list.
KINDS = {
    *("stray access", "undefined behaviour", "misaligned access", "uninitialised shared memory"),
    *("race", "divergent barrier", "inactive lane read", "deadlock", "lane not in its mask"),
    *("launch error ignored", "too much shared memory", "order dependence", "wrong stream"),
    *("device assertion", "trap", "inaccurate", "exception", "crash", "error"),
}


@dataclass(frozen=True)
class Found:
    """A finding, or what a build has raised."""

    kind: str
    message: str


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    """One process for all of them: torch is imported once."""
    with checking(()) as started:
        yield started


def stated(folder: Path) -> tuple[Target, Expected]:
    plain: dict[str, Any] = json.loads((folder / "finding.json").read_text())
    (expected,) = read_defect(folder).expected
    return parse_target(plain["target"]), expected


def cases_of(folder: Path, worker: Worker) -> list[CaseRecord]:
    target, expected = stated(folder)
    described = find_one(str(folder))
    if expected.check in ("emulation", "build"):
        return list(watched_cases(worker, str(folder), described, target))
    record = check_operator(worker, str(folder), described, target, only=(expected.check,))
    return list(record.cases)


def subjects() -> Iterator[Any]:
    """The first of every second kind is tested always, which is slow enough; the others where all are asked for."""
    seen: list[str] = []
    for folder in FOLDERS:
        kind = stated(folder)[1].kinds[0]
        first = kind not in seen
        if first:
            seen.append(kind)
        mark = pytest.mark.slow if first and len(seen) % 2 else pytest.mark.exhaustive
        yield pytest.param(folder, id=folder.name, marks=[] if folder.name in QUICK else [mark])


@pytest.mark.parametrize("folder", list(subjects()))
def test_the_stated_finding_is_given_with_its_line(folder: Path, worker: Worker) -> None:
    _, expected = stated(folder)
    try:
        cases = cases_of(folder, worker)
    except CompileError as error:
        found = [Found("error", str(error))]
    else:
        assert [case for case in cases if case.outcome.verdict == "error"] == []
        found = [Found(f.kind, f.message) for case in cases for f in case.outcome.findings]
    shown = "\n".join(f"{finding.kind}: {finding.message}" for finding in found)
    assert any(
        finding.kind == expected.kinds[0] and all(part in finding.message for part in expected.says)
        for finding in found
    ), shown
    # Wrong numbers come and go with the order in which the host runs blocks.
    assert {finding.kind for finding in found} <= set(expected.kinds), shown


def test_there_are_twenty_five_and_of_every_kind() -> None:
    kinds = [stated(folder)[1].kinds[0] for folder in FOLDERS]
    assert len(kinds) >= 25
    assert set(kinds) == KINDS


def test_a_finding_of_device_code_is_asked_for_with_its_line() -> None:
    without_a_place = {
        *("inaccurate", "exception", "order dependence", "crash"),
        *("too much shared memory", "error"),
    }
    for folder in FOLDERS:
        _, expected = stated(folder)
        placed = any(".cu:" in part or ".hip:" in part for part in expected.says)
        assert placed or expected.kinds[0] in without_a_place, folder.name
