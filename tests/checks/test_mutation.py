from __future__ import annotations

import torch

from checks.one_tensor import subject
from opwright import Tensor
from opwright.checks import mutation
from opwright.checks.protocol import Subject
from opwright.records.verdict import Outcome

TWO = {
    "schema": "one(Tensor input) -> (Tensor left, Tensor right)",
    "inputs": {"input": Tensor(4, 6)},
    "outputs": (Tensor(4, 3), Tensor(4, 3)),
}


def outcomes(one: Subject) -> list[Outcome]:
    return [mutation.run(case, one) for case in mutation.cases(one.spec)]


def halves(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return tuple(part.clone() for part in x.exp().chunk(2, 1))


def test_outputs_may_be_parts_of_one_allocation() -> None:
    found = outcomes(subject(lambda x: x.exp().chunk(2, 1), halves, **TWO))
    assert {outcome.verdict for outcome in found} == {"pass"}


def test_a_sign_of_zero_that_flips_is_a_change() -> None:
    def flipped(x: torch.Tensor) -> torch.Tensor:
        x[x == 0] = -0.0
        return x.exp()

    inputs = {"input": Tensor(4, 6, range=(0.0, 0.0))}
    found = outcomes(subject(flipped, torch.exp, inputs=inputs, dtypes=("float32",)))
    assert [outcome.findings[0].kind for outcome in found] == ["input changed"]


def test_nan_that_stays_is_no_change() -> None:
    inputs = {"input": Tensor(4, range=(-1.0, 1.0))}
    found = outcomes(subject(lambda x: x.log(), torch.log, inputs=inputs, dtypes=("float32",)))
    assert [outcome.verdict for outcome in found] == ["pass"]
