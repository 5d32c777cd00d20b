"""Every planted fault is found: by the check, of the kind and in the words that its folder states."""

from __future__ import annotations

from collections import Counter

import pytest

from defect_folders import DEFECTS, Defect, Expected, defects
from opwright.checks.table import choose
from opwright.records.run import CaseRecord
from opwright.session.kept_state import kept_state
from opwright.session.selftest import cases_of
from opwright.worker import Limits, Worker

PLANTED = defects()
QUESTIONS = [
    pytest.param(
        defect,
        expected,
        id=f"{defect.name}-{expected.check}",
        # what a slow one compiles, one process compiles once
        marks=[pytest.mark.slow, pytest.mark.xdist_group(defect.name)] if defect.slow else [],
    )
    for defect in PLANTED
    for expected in defect.expected
]


@pytest.mark.parametrize("defect, expected", QUESTIONS)
def test_the_stated_finding_is_given_and_no_other(
    defect: Defect, expected: Expected, worker: Worker
) -> None:
    cases = run(defect, expected.check, worker)
    failing = [case for case in cases if case.outcome.verdict == "fail"]
    found = [finding for case in failing for finding in case.outcome.findings]
    shown = "\n".join(f"{case.name}: {case.outcome}" for case in cases)
    assert failing, f"slipped through:\n{shown}"
    assert not [case for case in cases if case.outcome.verdict == "error"], shown
    assert {finding.kind for finding in found} == set(expected.kinds), shown
    assert any(all(part in f.message for part in expected.says) for f in found), shown
    if expected.only_where is not None:
        assert all(expected.only_where in case.name for case in failing), shown
        assert any(case.outcome.verdict == "pass" for case in cases), shown


def run(defect: Defect, check: str, worker: Worker) -> tuple[CaseRecord, ...]:
    worker.limits = Limits(**defect.limits)
    with kept_state():
        return cases_of(worker, defect.folder, (check,))


def test_every_check_has_at_least_five_defects() -> None:
    planted = Counter(expected.check for defect in PLANTED for expected in defect.expected)
    asked = (*choose(), *choose(["sanitizers"]))
    assert {check.name: planted[check.name] for check in asked if planted[check.name] < 5} == {}


def test_there_are_at_least_eighty_and_no_two_of_one_fault() -> None:
    assert len(PLANTED) >= 80
    assert [fault for fault, count in Counter(d.fault for d in PLANTED).items() if count > 1] == []


def test_every_folder_states_its_finding() -> None:
    described = {path.parent.name for path in DEFECTS.glob("*/op.py")}
    assert described == {defect.name for defect in PLANTED}
