from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from checks.one_tensor import subject
from opwright import Scalar, Tensor
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
    assert {outcome.findings[0].kind for outcome in found} == {"input changed"}


def test_nan_that_stays_is_no_change() -> None:
    inputs = {"input": Tensor(4, range=(-1.0, 1.0))}
    found = outcomes(subject(lambda x: x.log(), torch.log, inputs=inputs, dtypes=("float32",)))
    assert {outcome.verdict for outcome in found} == {"pass"}


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.nan_to_num_(),
        lambda x: x.clamp_(-30, 30),
        lambda x: x.masked_fill_(x.abs() < 1e-37, 0.0),
    ],
    ids=["NaN", "large", "subnormal"],
)
def test_a_change_at_special_values_alone_is_found(change: Callable[[torch.Tensor], Any]) -> None:
    def changing(x: torch.Tensor) -> torch.Tensor:
        change(x)
        return x.exp()

    found = outcomes(subject(changing, torch.exp, dtypes=("float32",)))
    kinds = [finding.kind for outcome in found for finding in outcome.findings]
    assert kinds == ["input changed"]


def test_a_change_at_a_scalar_that_nobody_lists_is_found_and_a_refusal_is_none() -> None:
    def changing(x: torch.Tensor, scale: float) -> torch.Tensor:
        return x * scale if scale == 1.0 else x.mul_(scale).clone()

    def refusing(x: torch.Tensor, scale: float) -> torch.Tensor:
        if scale != 1.0:
            raise ValueError("scale has to be 1")
        return x * scale

    how = {
        "schema": "one(Tensor input, float scale=1.0) -> Tensor",
        "scalars": {"scale": Scalar(1.0)},
        "dtypes": ("float32",),
    }
    found = outcomes(subject(changing, lambda x, scale=1.0: x * scale, **how))
    assert [f.kind for outcome in found for f in outcome.findings] == ["input changed"]
    found = outcomes(subject(refusing, lambda x, scale=1.0: x * scale, **how))
    assert {outcome.verdict for outcome in found} == {"pass", "not checked"}
