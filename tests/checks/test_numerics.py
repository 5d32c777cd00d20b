from __future__ import annotations

import torch

from checks.one_tensor import described, subject
from opwright import Dim, Tensor, Tolerance
from opwright.checks import numerics
from opwright.checks.protocol import Subject
from opwright.records.verdict import Outcome
from opwright.spec.sampling import MAX_ELEMENTS


def outcomes(one: Subject) -> dict[str, Outcome]:
    return {case.name: numerics.run(case, one) for case in numerics.cases(one.spec)}


def test_a_large_case_is_planned_once_in_the_first_dtype() -> None:
    n = Dim("n", typical=(64, 500_000), edge=(1,))
    spec = described(torch.exp, inputs={"input": Tensor(n)})
    large = [case for case in numerics.cases(spec) if int(case.sizes["n"]) > MAX_ELEMENTS]
    assert [case.name for case in large] == ["n=500000 float32"]


def test_a_right_operator_passes_with_planted_faults_caught() -> None:
    found = outcomes(subject(torch.exp, torch.exp, dtypes=("float32",)))
    assert {outcome.verdict for outcome in found.values()} == {"pass"}
    assert all(outcome.figures["planted_caught"] > 0 for outcome in found.values())


def test_a_tolerance_that_lets_planted_faults_through_is_no_evidence() -> None:
    one = subject(torch.exp, torch.exp, tolerance=Tolerance(atol=1000.0))
    found = outcomes(one)["rows=3,columns=5 float32"]
    assert found.verdict == "not checked"
    assert found.reason.startswith("not evidence: planted 'zeros'")
    assert "or declare a tolerance" in found.reason


def test_inputs_are_judged_as_they_were_before_the_call() -> None:
    """An operator that zeroes its input, and returns zeros, is not judged against zeros."""
    found = outcomes(subject(lambda x: x.zero_().clone(), lambda x: 2 * x))
    assert {outcome.verdict for outcome in found.values()} == {"fail"}
