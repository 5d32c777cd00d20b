"""The end of a process is a finding on the case that it was running, or had answered last."""

from __future__ import annotations

from dataclasses import replace

from made_record import finding, made_case
from opwright.records.verdict import passed
from opwright.session.ends import cause_of, ended_outcome, with_losses
from opwright.worker import Ended

CRASH = Ended("crashed", "between", "crashed with SIGABRT", signal="SIGABRT", stderr="terminate")


def test_an_end_is_a_finding_with_what_the_process_said() -> None:
    (found,) = ended_outcome(CRASH).findings
    assert (found.kind, found.message) == ("crash", "crashed with SIGABRT")
    assert (found.details["signal"], found.details["stderr"]) == ("SIGABRT", "terminate")


def test_a_process_that_dies_after_its_answer_fails_the_case_that_it_answered() -> None:
    record = with_losses(made_case("empty", "a", passed({"max_ulp": 1.0})), [CRASH])
    assert record.outcome.verdict == "fail"
    assert record.outcome.figures == {"max_ulp": 1.0}
    assert [each.message for each in record.outcome.findings] == [
        "after its answer the process crashed with SIGABRT"
    ]


def test_what_was_found_before_stays() -> None:
    record = with_losses(made_case("empty", "a", finding()), [CRASH])
    assert [each.kind for each in record.outcome.findings] == ["inaccurate", "crash"]


def test_an_idle_process_that_the_kernel_took_for_its_memory_is_no_fault() -> None:
    record = made_case("empty", "a", passed())
    assert with_losses(record, [Ended("memory", "between", "was killed")]) is record
    assert with_losses(record, []) is record


def test_a_reference_that_ends_its_process_is_an_error_and_no_finding() -> None:
    ended = replace(CRASH, in_reference=True)
    outcome = ended_outcome(ended)
    assert (outcome.verdict, outcome.findings) == ("error", ())
    assert outcome.reason == "the reference, and not the operator, crashed with SIGABRT"
    assert cause_of(ended) == "end of the reference"


def test_a_reference_that_crashes_once_the_operator_was_called_is_the_operators_fault() -> None:
    ended = replace(CRASH, in_reference=True, operator_ran=True)
    assert ended_outcome(ended).verdict == "fail"
    assert cause_of(ended) == "crash"
