from __future__ import annotations

import torch

from checks.one_tensor import COLUMNS, ROWS, subject
from opwright import Tensor
from opwright.checks import empty
from opwright.checks.protocol import Subject
from opwright.records.verdict import Outcome

ROW_WISE = {
    "outputs": Tensor(ROWS),
    "inputs": {"input": Tensor(ROWS, COLUMNS)},
    "dtypes": ("float32",),
}


def outcomes(one: Subject) -> dict[str, Outcome]:
    return {case.name: empty.run(case, one) for case in empty.cases(one.spec)}


def test_every_way_of_being_empty_is_planned() -> None:
    names = outcomes(subject(torch.exp, torch.exp))
    assert any("rows=0,columns=5" in name for name in names)
    assert any("rows=3,columns=0" in name for name in names)
    assert any("rows=0,columns=0" in name for name in names)
    assert {outcome.verdict for outcome in names.values()} == {"pass"}


def test_an_answer_where_the_reference_refuses_proves_nothing() -> None:
    def largest(x: torch.Tensor) -> torch.Tensor:
        return x.amax(1) if x.shape[1] else x.new_full((x.shape[0],), -torch.inf)

    found = outcomes(subject(largest, lambda x: x.amax(1), **ROW_WISE))["rows=3,columns=0 float32"]
    assert found.verdict == "not checked"
    assert "the operator takes empty input: `input` with shape [3, 0]" in found.reason


def test_refusing_what_the_reference_refuses_is_right() -> None:
    found = outcomes(subject(lambda x: x.amax(1), lambda x: x.amax(1), **ROW_WISE))
    assert found["rows=3,columns=0 float32"].verdict == "pass"


def test_a_wrong_answer_says_which_shapes_gave_it() -> None:
    found = outcomes(subject(lambda x: x.new_empty(0), torch.exp))["rows=3,columns=0 float32"]
    assert "on empty input: `input` with shape [3, 0]: output: shape [0], expected [3, 0]" in (
        found.findings[0].message
    )
