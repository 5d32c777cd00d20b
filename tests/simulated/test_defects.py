"""The planted faults that only a device with streams shows are found on the simulated one, as on a GPU."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from defect_folders import DEFECTS
from opwright.discovery import find_one
from opwright.records.run import CaseRecord
from opwright.session.checking import check_operator, checking
from opwright.session.planted import Expected, read_defect
from opwright.spec.target import Target
from opwright.worker import Limits, Worker

FOLDERS = sorted(
    path.parent for path in (Path(__file__).parent.parent / "device_defects").glob("*/op.py")
)
# compute-sanitizer runs on a GPU, and 2^31 elements take an emulator hours
NOT_HERE = {"device_sanitizers", "large"}
QUESTIONS = [
    pytest.param(folder, expected, id=f"{folder.name}-{expected.check}")
    for folder in FOLDERS
    for expected in read_defect(folder).expected
    if expected.check not in NOT_HERE
]
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("simulated")]


@pytest.fixture(scope="module")
def worker(device: ModuleType) -> Iterator[Worker]:
    """One process that has imported torch, when the device is built."""
    with checking(()) as started:
        yield started


def cases_of(
    folder: Path, check: str, worker: Worker, limits: Limits | None = None
) -> tuple[CaseRecord, ...]:
    described = find_one(str(folder))
    worker.limits = limits or Limits()
    return check_operator(worker, str(folder), described, Target("simulated"), only=(check,)).cases


@pytest.mark.parametrize(("folder", "expected"), QUESTIONS)
def test_the_stated_finding_is_given(folder: Path, expected: Expected, worker: Worker) -> None:
    limits = Limits(**read_defect(folder).limits)
    cases = cases_of(folder, expected.check, worker, limits)
    shown = "\n".join(f"{case.name}: {case.outcome}" for case in cases)
    found = [finding for case in cases for finding in case.outcome.findings]
    if expected.check == "numerics":  # what memory holds that nobody wrote is no GPU's
        assert found, shown
        return
    assert {finding.kind for finding in found} >= set(expected.kinds), shown
    assert any(all(part in f.message for part in expected.says) for f in found), shown


@pytest.mark.parametrize(
    "check",
    ["stream", "hidden_sync", "device_guard", "capture", "device_memory", "gradients", "vmap"],
)
def test_a_correct_operator_has_no_finding(check: str, worker: Worker) -> None:
    record = check_operator(worker, "add2", find_one("add2"), Target("simulated"), only=(check,))
    assert {case.outcome.verdict for case in record.cases} <= {"pass", "not checked"}
    assert any(case.outcome.verdict == "pass" for case in record.cases)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("second_in_dim_ignored", "vmap differs"),
        ("gradient_detached_under_vmap", "gradient lost"),
        ("tangent_of_zero", "tangent lost"),
    ],
)
def test_transforms_of_a_function_are_asked_on_the_device(
    name: str, kind: str, worker: Worker
) -> None:
    cases = cases_of(DEFECTS / name, "vmap", worker)
    found = {finding.kind for case in cases for finding in case.outcome.findings}
    assert found == {kind}


@pytest.mark.parametrize(
    ("name", "current"), [("stream_of_its_own", False), ("waits_for_the_stream", True)]
)
def test_the_record_has_the_stream_of_each_launch(name: str, current: bool, worker: Worker) -> None:
    (folder,) = (folder for folder in FOLDERS if folder.name == name)
    (case,) = cases_of(folder, "stream", worker)
    (launch,) = case.outcome.figures["launches"]
    assert launch["current"] is current
    assert launch["kernel"].startswith("twice")
    assert isinstance(launch["stream"], int)


def test_a_temporary_that_is_recorded_for_the_stream_that_reads_it_is_no_fault(
    worker: Worker, tmp_path: Path
) -> None:
    (folder,) = (folder for folder in FOLDERS if folder.name == "freed_too_early")
    text = (folder / "op.py").read_text()
    freed = "    del scratch  #"
    assert freed in text
    (tmp_path / "op.py").write_text(
        text.replace(freed, f"    scratch.record_stream(side)\n{freed}")
    )
    (case,) = cases_of(tmp_path, "stream", worker)
    assert case.outcome.verdict == "pass", case.outcome
