"""What the emulated orders of a call say, and what the emulator says beside them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import cast

import torch

from checks.one_tensor import subject
from checks.told_emulation import NOTE, RACE, Told
from opwright.binding.emulation import Emulation
from opwright.checks import emulation
from opwright.checks.emulation import ORDERS
from opwright.records.verdict import Outcome

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
