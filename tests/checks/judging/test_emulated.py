"""What the emulator saw is a finding in words, on the case during which it was seen."""

from __future__ import annotations

from typing import cast

import pytest

from checks.told_emulation import NOTE, RACE, Told
from opwright.binding.emulation import Emulation
from opwright.checks.judging.emulated import drain_findings, explained_launches, finding_of
from opwright.records.verdict import Finding, failed, passed


def test_a_finding_names_kernel_place_block_and_thread() -> None:
    found = finding_of(RACE)
    assert found == Finding(
        "race", "shared memory in sum_kernel at sum.cu:7 (block 1,0,0, thread 33,0,0)", RACE
    )


def test_a_finding_of_host_code_has_neither_kernel_nor_thread() -> None:
    said = {"kind": "trap", "level": "finding", "message": "stopped", "kernel": ""}
    assert finding_of(said).message == "stopped"


def test_what_the_emulator_saw_during_another_check_fails_its_case() -> None:
    told = Told(RACE, RACE, NOTE)
    first = failed(Finding("inaccurate", "wrong"))
    answer = drain_findings(first, cast("Emulation", told))
    assert [finding.kind for finding in answer.findings] == ["inaccurate", "race"]
    assert drain_findings(passed(), cast("Emulation", told)).verdict == "fail"
    assert (told.finished, told.resets) == (2, 2)


def test_where_the_emulator_saw_nothing_the_answer_stays() -> None:
    answer = passed({"seen": 1})
    assert drain_findings(answer, cast("Emulation", Told(NOTE))) is answer


LAUNCH = {
    "kind": "launch_refused",
    "level": "note",
    "message": "the grid is (1, 65536, 1)",
    "kernel": "k",
    "file": "k.cu",
    "line": 3,
}


def test_an_error_code_is_explained_by_the_launch_that_was_refused() -> None:
    told = Told(RACE, LAUNCH, LAUNCH)
    expected = r"^invalid configuration: the grid is \(1, 65536, 1\) in k at k.cu:3$"
    with pytest.raises(RuntimeError, match=expected), explained_launches(cast("Emulation", told)):
        raise RuntimeError("invalid configuration")
    assert told.resets == 1


@pytest.mark.parametrize("error", [RuntimeError("another"), ValueError("input: too large")])
def test_other_errors_stay_as_they_are_and_leave_nothing_to_the_next_case(error: Exception) -> None:
    told = Told(RACE) if isinstance(error, RuntimeError) else Told(LAUNCH)
    with pytest.raises(type(error)) as raised, explained_launches(cast("Emulation", told)):
        raise error
    assert raised.value is error
    assert told.resets == 1
