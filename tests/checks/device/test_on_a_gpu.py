"""On a GPU every planted fault of device code is found as its folder says, and right operators have none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from opwright.discovery import find_one, shipped_folders
from opwright.session.checking import check_operator, checking
from opwright.session.planted import lacking, read_defect
from opwright.spec.target import Target
from opwright.worker import Worker

DEFECTS = sorted(
    path.parent for path in (Path(__file__).parents[2] / "device_defects").glob("*/op.py")
)

pytestmark = pytest.mark.cuda


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    """One process for all of them: torch is imported once."""
    with checking() as started:
        yield started


def not_found(worker: Worker, folder: Path) -> list[str]:
    """What the folder says has to be found, and was not."""
    defect = read_defect(folder)
    only = tuple(dict.fromkeys(expected.check for expected in defect.expected))
    described = find_one(str(folder))
    record = check_operator(worker, str(folder), described, Target("cuda"), only=only)
    found = [
        (case.check, f.kind, f.message) for case in record.cases for f in case.outcome.findings
    ]
    return [
        f"{expected.check}: {kind}"
        for expected in defect.expected
        for kind in expected.kinds
        if not any(
            (check, of) == (expected.check, kind) and all(part in said for part in expected.says)
            for check, of, said in found
        )
    ]


@pytest.mark.parametrize("folder", DEFECTS, ids=lambda folder: folder.name)
def test_it_is_found_on_a_gpu(worker: Worker, folder: Path) -> None:
    if why := lacking(read_defect(folder), Target("cuda")):
        pytest.skip(why)
    assert not_found(worker, folder) == []


@pytest.mark.parametrize("name", sorted(shipped_folders()))
def test_right_operators_have_no_finding_on_a_gpu(worker: Worker, name: str) -> None:
    folder = str(shipped_folders()[name])
    record = check_operator(worker, folder, find_one(folder), Target("cuda"))
    assert [case for case in record.cases if case.outcome.findings] == []
