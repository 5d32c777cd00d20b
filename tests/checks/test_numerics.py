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


def test_large_cases_are_planned_once_each_in_the_first_dtype() -> None:
    n = Dim("n", typical=(64, 500_000), edge=(1,))
    spec = described(torch.exp, inputs={"input": Tensor(n)})
    large = [case for case in numerics.cases(spec) if int(case.sizes["n"]) > MAX_ELEMENTS]
    names = ["n=65537 float32", "n=500000 float32", "n=1064960 float32"]
    assert [case.name for case in large] == names


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


def test_what_nobody_lists_may_be_refused_clearly_and_no_other_way() -> None:
    def up_to_64(value: torch.Tensor) -> torch.Tensor:
        if value.shape[1] > 64:
            raise ValueError(f"input: at most 64 columns, got {value.shape[1]}")
        return value.exp()

    found = outcomes(subject(up_to_64, torch.exp, dtypes=("float32",)))
    assert {outcome.verdict for outcome in found.values()} == {"pass", "not checked"}
    assert "nothing in the description says so" in found["rows=3,columns=65 float32"].reason

    def by_accident(value: torch.Tensor) -> torch.Tensor:
        return {n: value.exp() for n in range(65)}[value.shape[1]]

    found = outcomes(subject(by_accident, torch.exp, dtypes=("float32",)))
    assert found["rows=3,columns=65 float32"].findings[0].kind == "unclear refusal"


def test_outputs_have_to_be_dense() -> None:
    found = outcomes(
        subject(lambda x: x.t().contiguous().exp().t(), torch.exp, dtypes=("float32",))
    )
    kinds = {finding.kind for outcome in found.values() for finding in outcome.findings}
    assert kinds == {"wrong strides"}
    assert found["rows=1,columns=5 float32"].verdict == "pass"  # one row is dense either way


def test_what_is_wrong_only_at_several_times_the_largest_listed_size_is_found() -> None:
    n = Dim("n", typical=(64,), edge=(1,))

    def cut(x: torch.Tensor) -> torch.Tensor:
        return torch.cat([x[:200].exp(), torch.zeros_like(x[200:])])

    found = outcomes(subject(cut, torch.exp, inputs={"input": Tensor(n)}, dtypes=("float32",)))
    assert {name for name, outcome in found.items() if outcome.verdict == "fail"} == {
        name for name in found if int(name.split()[0].removeprefix("n=")) > 200
    }
    assert found["n=257 float32"].verdict == "fail"
