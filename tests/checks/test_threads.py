from __future__ import annotations

import torch

from checks.one_tensor import subject
from opwright.checks import threads
from opwright.checks.protocol import Subject
from opwright.records.verdict import Outcome


def first_outcome(one: Subject) -> Outcome:
    return threads.run(next(iter(threads.cases(one.spec))), one)


def test_callers_with_values_of_their_own_get_their_own_answers() -> None:
    found = first_outcome(subject(torch.exp, torch.exp))
    assert found.verdict == "pass"
    assert found.figures["calls"] >= 4 * 20
    assert found.notes == ()


def test_a_buffer_that_callers_share_is_found() -> None:
    shared = torch.empty(0)

    def through_a_buffer(value: torch.Tensor) -> torch.Tensor:
        nonlocal shared
        shared = value.clone()
        for _ in range(20):  # time for another thread
            shared = shared + 0
        return shared.exp()

    found = first_outcome(subject(through_a_buffer, torch.exp))
    assert [finding.kind for finding in found.findings] == ["wrong beside other threads"]


def test_an_exception_beside_others_is_a_finding() -> None:
    inside = 0

    def alone(value: torch.Tensor) -> torch.Tensor:
        nonlocal inside
        inside += 1
        for _ in range(20):
            value = value + 0
        others, inside = inside - 1, inside - 1
        if others:
            raise RuntimeError("busy")
        return value.exp()

    found = first_outcome(subject(alone, torch.exp))
    assert "fails beside other threads" in {finding.kind for finding in found.findings}
