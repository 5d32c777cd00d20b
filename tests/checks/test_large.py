from __future__ import annotations

import pytest
import torch

from checks.one_tensor import described, subject
from opwright import Tensor
from opwright.checks import large
from opwright.checks.protocol import Subject
from opwright.records.verdict import Outcome
from opwright.spec.case import Case


def far_case(one: Subject) -> Case:
    return next(case for case in large.cases(one.spec) if case.extra["how"] == "far")


def far(one: Subject) -> Outcome:
    return large.run(far_case(one), one)


def test_rows_far_apart_are_read_where_they_are() -> None:
    assert far(subject(torch.exp, torch.exp)).verdict == "pass"


def test_a_stride_cut_to_32_bits_is_found() -> None:
    def cut(value: torch.Tensor) -> torch.Tensor:
        short = value.stride(0) & 0x7FFF_FFFF
        return torch.as_strided(value, value.shape, (short, value.stride(1))).exp()

    found = far(subject(cut, torch.exp))
    assert {finding.kind for finding in found.findings} == {"wrong past 2^31 elements"}


def test_a_clear_refusal_is_right() -> None:
    def near_only(value: torch.Tensor) -> torch.Tensor:
        if value.stride(0) >= 1 << 31:
            raise ValueError(f"input: stride {value.stride(0)} does not fit 32 bits")
        return value.exp()

    found = far(subject(near_only, torch.exp))
    assert found.verdict == "pass"
    assert found.notes[0].startswith("refused: ValueError: input: stride")


def test_no_room_is_not_checked_with_the_need(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large, "free_bytes", lambda: 1 << 20)
    one = subject(torch.exp, torch.exp)
    many = next(case for case in large.cases(one.spec) if case.extra["how"] == "many")
    found = large.run(many, one)
    assert found.verdict == "not checked"
    assert "GB need twice that in free memory" in found.reason


def test_a_tensor_of_no_dimensions_has_no_rows_and_the_plan_says_so() -> None:
    spec = described(lambda x: x.clone(), inputs={"input": Tensor()}, outputs=Tensor())
    assert large.CHECK.plan(spec).why_none.startswith("the operator has no rows")
