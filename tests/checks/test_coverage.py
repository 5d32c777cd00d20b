from __future__ import annotations

import pytest
import torch

from checks.one_tensor import subject
from opwright.checks import coverage
from opwright.checks.protocol import Subject
from opwright.records.verdict import Outcome
from opwright.watch import poison


def outcome(one: Subject, name: str) -> Outcome:
    case = next(case for case in coverage.cases(one.spec) if case.name == name)
    return coverage.run(case, one)


def with_holes(x: torch.Tensor) -> torch.Tensor:
    output = torch.empty_like(x)
    output[0, 0] = 1
    output[2, 1:4] = x[2, 1:4]
    return output


def test_the_range_that_was_not_written_is_given_with_what_was_written_in_between() -> None:
    found = outcome(subject(with_holes, lambda x: x.clone()), "rows=3,columns=5 float32")
    assert found.verdict == "fail", found.reason
    assert found.findings[0].message.startswith(
        "11 of 15 elements of `output` were never written, from index [0, 1] to [2, 4], with 3 written in between"
    )
    assert found.findings[0].details == {
        "output": "output",
        "count": 11,
        "first": [0, 1],
        "last": [2, 4],
    }


def test_an_output_that_holds_a_pattern_by_right_is_no_finding() -> None:
    pattern = poison.PATTERNS[0]

    def filled(x: torch.Tensor) -> torch.Tensor:
        return torch.full(x.shape, pattern, dtype=torch.uint8)

    assert outcome(subject(filled, filled), "rows=3,columns=5 float32").verdict == "pass"


def test_without_poison_nothing_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(poison, "_perturb", lambda byte: False)
    found = outcome(subject(with_holes, lambda x: x.clone()), "rows=3,columns=5 float32")
    assert (found.verdict, found.reason) == (
        "not checked",
        "the memory that an output gets here cannot be filled before",
    )
