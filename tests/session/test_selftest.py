"""A self-test says caught only of a finding that is there, and why not of every other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from defect_folders import CORRECT, DEFECTS
from opwright.records.detection import Trial
from opwright.records.run import CaseRecord
from opwright.records.verdict import Finding, Outcome, errored, failed, not_checked, passed
from opwright.session.checking import checking
from opwright.session.planted import Defect, Expected, read_defect
from opwright.session.selftest import Chosen, answered, try_correct, try_defect
from opwright.worker import Worker

EXPECTED = Expected("numerics", ("inaccurate",), ("row 3",))
DEFECT = Defect(Path("planted"), "a fault", (EXPECTED,))


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with checking() as started:
        yield started


def trial(*outcomes: Outcome, expected: Expected = EXPECTED) -> Trial:
    cases = [
        CaseRecord("numerics", f"n={n}", {}, outcome, 0.0) for n, outcome in enumerate(outcomes)
    ]
    return answered(DEFECT, expected, cases)


def test_the_stated_finding_is_a_catch() -> None:
    assert trial(passed(), failed(Finding("inaccurate", "wrong in row 3 of 4"))).answer == "caught"


@pytest.mark.parametrize(
    "finding", [Finding("inaccurate", "wrong in row 2"), Finding("crash", "wrong in row 3")]
)
def test_another_finding_is_a_miss_that_quotes_it(finding: Finding) -> None:
    found = trial(failed(finding))
    assert found.answer == "missed"
    assert f"{finding.kind}: {finding.message}" in found.reason


def test_every_stated_kind_has_to_be_found() -> None:
    both = replace(EXPECTED, kinds=("inaccurate", "wrong shape"))
    assert trial(failed(Finding("inaccurate", "row 3")), expected=both).answer == "missed"


def test_nothing_found_is_a_miss_and_an_error_too() -> None:
    assert trial(passed(), not_checked("no memory")).answer == "missed"
    assert trial(errored("the reference raises")).reason == "the reference raises"
    assert trial().answer == "missed"


def test_what_the_check_could_not_run_is_not_checkable_with_its_reason() -> None:
    found = trial(not_checked("no sanitizer here"))
    assert (found.answer, found.reason) == ("not checkable", "no sanitizer here")


def test_cases_that_cannot_show_it_do_not_make_a_miss() -> None:
    only = replace(EXPECTED, only_where="n=1")
    assert trial(passed(), not_checked("no memory"), expected=only).answer == "not checkable"


def test_a_real_defect_is_caught_and_the_same_claim_about_another_check_is_missed(
    worker: Worker,
) -> None:
    defect = read_defect(DEFECTS / "input_changed")
    assert [trial.answer for trial in try_defect(worker, defect, Chosen())] == ["caught"]
    wrongly_stated = replace(defect, expected=(Expected("empty", ("crash",), ()),))
    assert [t.answer for t in try_defect(worker, wrongly_stated, Chosen())] == ["missed"]


def test_a_defect_of_another_processor_is_not_tried(worker: Worker) -> None:
    defect = replace(read_defect(DEFECTS / "input_changed"), machines=("pdp11",))
    (found,) = try_defect(worker, defect, Chosen())
    assert found.answer == "not checkable"
    assert found.reason.startswith("written for pdp11; this machine is ")


def test_a_defect_that_needs_a_compiler_is_not_checkable_without_one(
    worker: Worker, tmp_path: Path, empty_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (found,) = try_defect(worker, read_defect(DEFECTS / "cpp_tail_not_written"), Chosen())
    assert found.answer == "not checkable", found
    assert "compiler" in found.reason
    correct = try_correct(worker, CORRECT / "row_sum", Chosen())
    assert correct.alarms == ()
    assert "compiler" in correct.reason


def test_a_correct_operator_gives_no_alarm_and_a_defect_in_its_place_does(worker: Worker) -> None:
    chosen = Chosen(checks=("mutation",))
    assert try_correct(worker, CORRECT / "softmax", chosen).alarms == ()
    (alarm, *_) = try_correct(worker, DEFECTS / "input_changed", chosen).alarms
    assert (alarm.operator, alarm.check) == ("input_changed", "mutation")


def test_checks_and_quick_choose_what_is_run() -> None:
    planted = [read_defect(DEFECTS / name) for name in ("input_changed", "cpp_tail_not_written")]
    assert Chosen().defects(planted) == planted
    assert Chosen(checks=("coverage",)).defects(planted) == planted[1:]
    assert Chosen(quick=True).defects(planted) == planted[:1]
    assert Chosen(quick=True).correct([CORRECT / "softmax", CORRECT / "row_sum"]) == [
        CORRECT / "softmax"
    ]
