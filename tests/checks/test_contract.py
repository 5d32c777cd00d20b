from __future__ import annotations

from typing import Any

import torch

from checks.one_tensor import described, subject
from opwright import Dim, Operator, Scalar, Tensor
from opwright.checks import contract
from opwright.checks.protocol import Subject
from opwright.records.verdict import Outcome
from opwright.spec.case import case_from_json


def outcomes(one: Subject) -> dict[str, Outcome]:
    """What the check makes of every case, the case having travelled as JSON."""
    cases = [case_from_json(case.to_json()) for case in contract.cases(one.spec)]
    return {case.name: contract.run(case, one) for case in cases}


def test_the_plan_has_one_case_for_each_violation_that_the_sizes_have_room_for() -> None:
    n = Dim("n", typical=(5,), edge=(1,))
    spec = Operator(
        "two(Tensor(a!) c, Tensor a, int k=1, str mode='up') -> ()",
        inputs={"c": Tensor(n), "a": Tensor(n)},
        dtypes=("float32",),
        scalars={"k": Scalar(1, minimum=0, maximum=4), "mode": Scalar("up")},
        reference=lambda c, a, k, mode: c.copy_(a),
        function=lambda c, a, k, mode: c.copy_(a),
    ).spec
    names = [case.name for case in contract.cases(spec)]
    assert len(names) == len(set(names))
    for name in (
        "c dtype float64",
        "c rank one more",
        "a rank one less",
        "a size 0 one more",
        "a size 0 one less",
        "a size 0 only one",
        "a device meta",
        "a None",
        "c overlap with itself",
        "c overlap with a",
        "k value -1",
        "k value 5",
        "mode value no such choice",
    ):
        assert name in names


def test_a_size_that_nothing_else_decides_cannot_be_wrong() -> None:
    planned = [case.name for case in contract.cases(described(torch.exp))]
    assert "input rank one more" in planned
    assert [name for name in planned if "size" in name] == []


def test_more_than_the_description_allows_may_be_done_if_it_is_right() -> None:
    found = outcomes(subject(torch.exp, torch.exp))
    assert found["input dtype float64"].verdict == "pass"
    assert "was accepted, and the result is right" in found["input dtype float64"].notes[0]


def test_a_wrong_answer_names_argument_violation_and_difference() -> None:
    found = outcomes(subject(lambda x: torch.exp(x.float()), torch.exp))
    finding = found["input dtype float64"].findings[0]
    assert finding.kind == "dtype not refused"
    assert (
        "argument `input` as float64 [3, 5] instead of float32 [3, 5] was accepted"
        in finding.message
    )
    assert "expected torch.float64" in finding.message
    assert finding.details == {"argument": "input", "violation": "dtype"}


def test_an_accident_that_the_reference_has_too_is_the_users_own_way() -> None:
    def by_table(x: torch.Tensor) -> torch.Tensor:
        return {2: x.exp}[x.dim()]()

    assert outcomes(subject(by_table, by_table))["input rank one more"].verdict == "pass"
    assert outcomes(subject(by_table, torch.exp))["input rank one more"].verdict == "fail"


def test_a_refusal_that_names_the_argument_is_counted_as_such() -> None:
    def strict(x: torch.Tensor) -> torch.Tensor:
        if x is None or x.dtype not in (torch.float32, torch.bfloat16) or x.dim() != 2:
            raise ValueError("input: expected float32 or bfloat16 with 2 dimensions")
        return x.exp()

    found = outcomes(subject(strict, torch.exp))
    assert {outcome.verdict for outcome in found.values()} == {"pass"}
    assert all(outcome.figures == {"names_argument": True} for outcome in found.values())


def test_a_refusal_after_a_change_is_a_finding() -> None:
    def hasty(target: Any) -> None:
        target.zero_()
        raise ValueError("target: no")

    fields = {"schema": "one(Tensor(a!) target) -> ()", "inputs": {"target": Tensor(4)}}
    one = Subject(described(lambda target: target.zero_(), **fields), hasty)
    finding = outcomes(one)["target dtype float64"].findings[0]
    assert finding.kind == "changed before it refused"
    assert finding.details["argument"] == "target"
