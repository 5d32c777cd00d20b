"""Every build's cases are run alike: what ends a process is said of the right case, and of the right code."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from opwright.records.run import CaseRecord
from opwright.records.verdict import Outcome
from opwright.session.cases import Judge, Progress, run_case, run_cases
from opwright.spec.case import Case
from opwright.worker import Limits, Worker


@pytest.fixture(scope="module")
def started() -> Iterator[Worker]:
    with Worker("session.planted_cases:set_up", limits=Limits(case_seconds=0.5)) as worker:
        yield worker


@pytest.fixture
def worker(started: Worker) -> Worker:
    started.use({}, setup="session.planted_cases:set_up")
    return started


def cases(*do: str, check: str = "numerics") -> list[Case]:
    return [Case(check, str(number), {}, {}, extra={"do": each}) for number, each in enumerate(do)]


def found(record: CaseRecord) -> list[tuple[str, str]]:
    return [(finding.kind, finding.message) for finding in record.outcome.findings]


def judge_of_another_build(outcome: Outcome, stderr: str) -> Outcome:
    """What an instrumented build's judge does to outcomes that tell it nothing; it waits for the dying."""
    del stderr
    if (pid := outcome.figures.get("dies")) is not None:
        while Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX":
            os.sched_yield()
    return replace(outcome, notes=("judged",))


AFTER = ("crash", "after its answer the process crashed with SIGABRT")


def test_what_dies_after_the_last_case_is_found_on_it(worker: Worker) -> None:
    do = cases("pass", "abort later")
    first, last = run_cases(worker, "op", do, judge=judge_of_another_build)
    assert first.outcome.verdict == "pass"
    assert found(last) == [AFTER]


def test_a_watcher_is_told_of_a_case_with_all_that_is_found_on_it(worker: Worker) -> None:
    told: list[Progress] = []
    do = cases("pass", "abort later", "pass")
    records = run_cases(worker, "op", do, judge=judge_of_another_build, watcher=told.append)
    assert [each.case for each in told] == list(records)
    assert [(each.operator, each.done, each.total) for each in told] == [
        ("op", number, 3) for number in (1, 2, 3)
    ]
    assert [found(each.case) for each in told] == [[], [AFTER], []]


def test_a_death_belongs_to_the_case_that_ran_and_not_to_those_that_were_skipped(
    worker: Worker,
) -> None:
    do = [
        *cases("end in reference", "end in reference", "end in reference"),
        *cases("abort later", check="empty"),
        *cases("pass", "pass"),
        *cases("pass", check="empty"),
    ]
    records = run_cases(worker, "op", do, judge=judge_of_another_build)
    assert [each.outcome.verdict for each in records] == [
        *("error", "error", "error", "fail", "not checked", "not checked", "pass")
    ]
    assert found(records[3]) == [AFTER]
    assert records[4].outcome.reason == (
        "this check has had 3 ends of kind 'end of the reference': mend those first"
    )


@pytest.mark.parametrize("judge", [None, judge_of_another_build])
def test_each_end_has_its_own_name_and_a_reference_is_nobodys_fault(
    worker: Worker, judge: Judge | None
) -> None:
    do = ("hang", "abort", "raise", "end in reference", "end in reference after operator")
    records = run_cases(worker, "op", cases(*do), judge=judge)
    kinds = [[finding.kind for finding in each.outcome.findings] for each in records]
    assert kinds == [["hang"], ["crash"], ["exception"], [], ["crash"]]
    assert records[3].outcome.verdict == "error"
    assert records[3].outcome.reason.startswith("the reference, and not the operator, crashed")


def test_many_hangs_of_a_judged_build_end_the_check_too(worker: Worker) -> None:
    records = run_cases(worker, "op", cases(*["hang"] * 4), judge=judge_of_another_build)
    assert [each.outcome.verdict for each in records] == ["fail", "fail", "fail", "not checked"]


def test_one_case_has_its_outcome_and_no_cases_have_none(worker: Worker) -> None:
    (case,) = cases("abort")
    assert run_case(worker, case).verdict == "fail"
    assert run_cases(worker, "op", []) == ()
