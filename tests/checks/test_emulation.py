"""What the emulated orders of a call say, and what the emulator says beside them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import pytest
import torch

from checks.one_tensor import subject
from opwright.binding.emulation import Emulation
from opwright.checks import emulation
from opwright.checks.emulation import (
    ORDERS,
    explained_launches,
    finding_of,
    with_emulated_findings,
)
from opwright.records.verdict import Finding, Outcome, failed, passed

RACE = {
    "kind": "race",
    "level": "finding",
    "message": "shared memory",
    "kernel": "sum_kernel",
    "file": "sum.cu",
    "line": 7,
    "block": [1, 0, 0],
    "thread": [33, 0, 0],
}
NOTE = {**RACE, "level": "note"}


class Told:
    """Stands in for the emulator: it has an order, and says what it is told to."""

    def __init__(self, *said: dict[str, Any]) -> None:
        self.order = ""
        self.said = list(said)
        self.finished = self.resets = 0

    def set(self, option: str, value: str) -> None:
        assert option == "order"
        self.order = value

    def findings(self) -> list[dict[str, Any]]:
        return self.said

    def kernels(self) -> list[dict[str, Any]]:
        return [{"kernel": "sum_kernel", "launches": 1}]

    def finish(self) -> None:
        self.finished += 1

    def reset(self) -> None:
        self.resets += 1


Function = Callable[[torch.Tensor, str], torch.Tensor]


def outcome(told: Told, function: Function = lambda x, order: x * 2) -> Outcome:
    """The answer for one case of an operator that knows the order it is run in."""
    under_test = replace(
        subject(lambda input: function(input, told.order), lambda input: input * 2),
        emulation=cast("Emulation", told),
    )
    case = next(iter(emulation.CHECK.cases(under_test.spec)))
    return emulation.CHECK.run(case, under_test)


def test_right_in_every_order_is_a_pass_with_the_kernels_that_ran() -> None:
    told = Told()
    answer = outcome(told)
    assert answer.verdict == "pass"
    assert [kernel["kernel"] for kernel in answer.figures["kernels"]] == ["sum_kernel"]
    assert told.finished == len(ORDERS)
    assert told.order == ORDERS[0]


def test_wrong_in_one_order_is_a_dependence_on_it() -> None:
    (found,) = outcome(Told(), lambda x, order: x * (3 if order == "reverse" else 2)).findings
    assert found.kind == "order dependence"
    assert "wrong in others (reverse)" in found.message
    assert found.details["orders"] == ["reverse"]


def test_wrong_in_every_order_is_plainly_wrong_and_said_once() -> None:
    (found,) = outcome(Told(), lambda x, order: x * 3).findings
    assert found.kind == "inaccurate"


def fails_in(orders: tuple[str, ...]) -> Function:
    def function(x: torch.Tensor, order: str) -> torch.Tensor:
        if order in orders:
            raise ValueError("input: too large")
        return x * 2

    return function


def test_a_refusal_in_one_order_alone_is_a_dependence_on_it() -> None:
    (found,) = outcome(Told(), fails_in(("reverse",))).findings
    assert found.kind == "order dependence"
    assert "not in others (reverse): refused: " in found.message


def test_a_refusal_in_every_order_is_for_other_checks_to_judge() -> None:
    answer = outcome(Told(), fails_in(ORDERS))
    assert answer.verdict == "pass"
    assert len(answer.notes) == 1


def test_what_the_emulator_says_in_every_order_is_one_finding() -> None:
    told = Told(RACE)
    (found,) = outcome(told).findings
    assert found.kind == "race"
    assert told.resets == len(ORDERS) + 1  # or it would be said once more


def test_a_note_is_no_finding() -> None:
    assert outcome(Told(NOTE)).verdict == "pass"


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
    answer = with_emulated_findings(first, cast("Emulation", told))
    assert [finding.kind for finding in answer.findings] == ["inaccurate", "race"]
    assert with_emulated_findings(passed(), cast("Emulation", told)).verdict == "fail"
    assert (told.finished, told.resets) == (2, 2)


def test_where_the_emulator_saw_nothing_the_answer_stays() -> None:
    answer = passed({"seen": 1})
    assert with_emulated_findings(answer, cast("Emulation", Told(NOTE))) is answer


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
