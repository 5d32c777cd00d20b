from __future__ import annotations

import torch

from checks.one_tensor import described, subject
from opwright import Dim, Tensor
from opwright.checks import batch_invariance
from opwright.checks.protocol import Subject
from opwright.records.verdict import Outcome


def first_outcome(one: Subject) -> Outcome:
    return batch_invariance.run(next(iter(batch_invariance.cases(one.spec))), one)


def test_rows_that_stand_alone_pass() -> None:
    found = first_outcome(subject(torch.exp, torch.exp))
    assert (found.verdict, found.figures) == ("pass", {"rows": 3})


def test_a_row_that_changes_with_its_company_is_found() -> None:
    def scaled_by_all(value: torch.Tensor) -> torch.Tensor:
        scale = value.abs().max()
        return (value / scale).exp().log() * scale

    found = first_outcome(subject(scaled_by_all, lambda x: x.clone(), dtypes=("float32",)))
    assert [finding.kind for finding in found.findings] == ["row depends on its batch"]


def test_a_reference_that_mixes_rows_makes_it_unfair() -> None:
    found = first_outcome(subject(lambda x: x - x.mean(), lambda x: x - x.mean()))
    assert found.verdict == "not checked"


def test_an_operator_without_rows_plans_nothing_and_says_why() -> None:
    n, k = Dim("n"), Dim("k")
    spec = described(
        lambda x: x.t().contiguous(), inputs={"input": Tensor(n, k)}, outputs=Tensor(k, n)
    )
    plan = batch_invariance.CHECK.plan(spec)
    assert plan.cases == ()
    assert "no leading size" in plan.why_none
