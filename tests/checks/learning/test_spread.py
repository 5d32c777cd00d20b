"""How far right trainings lie apart: the interval, its factor, and what counts as a difference in rounding."""

from __future__ import annotations

import math

import pytest
import torch

from opwright.checks.learning.spread import (
    RUNS,
    STUDENT,
    in_blocks,
    reference,
    spread_of,
    steps_of,
    variants,
)
from opwright.inputs.call import make_call
from opwright.operator import Operator
from opwright.spec.case import Case
from opwright.spec.dims import Dim
from opwright.spec.tensor import Tensor

n = Dim("n", typical=(1000,), edge=(3,))
halved = Operator(
    "spread_halved(Tensor input) -> Tensor",
    inputs={"input": Tensor(n, layout="copy")},
    dtypes=("float32", "bfloat16"),
    reference=lambda input: input / 2,
    function=lambda input: input / 2,
    backward="own",
)


def exceeded(t: float, freedom: int) -> float:
    """How often Student's t is beyond ``t`` on one side, by Simpson's rule on u = t / x."""
    constant = math.gamma((freedom + 1) / 2) / (
        math.sqrt(freedom * math.pi) * math.gamma(freedom / 2)
    )
    points = 20_000
    total = 0.0
    for i in range(1, points + 1):
        x = i / points
        u = t / x
        density = constant * (1 + u * u / freedom) ** (-(freedom + 1) / 2) * t / x**2
        total += density * (1 if i == points else 4 if i % 2 else 2)
    return total / (3 * points)


def test_the_factor_is_student_s_for_one_false_alarm_in_ten_thousand() -> None:
    blocks = len(in_blocks([0.0] * 201))
    assert 2 * blocks * exceeded(STUDENT, RUNS - 1) == pytest.approx(1e-4, rel=0.01)


def test_losses_are_taken_by_tens_behind_the_first() -> None:
    assert in_blocks([float(i) for i in range(21)]) == [0.0, 5.5, 15.5]
    assert [steps_of(block) for block in range(3)] == [(0, 0), (1, 10), (11, 20)]


def test_one_more_of_the_same_lies_within_and_another_one_does_not() -> None:
    generator = torch.Generator().manual_seed(0)

    def drawn(mean: float) -> list[float]:
        return (mean + 0.01 * torch.randn(201, generator=generator)).tolist()

    spread = spread_of([drawn(1.0) for _ in range(RUNS)])
    assert spread.farthest(drawn(1.0))[0] < 1
    assert spread.farthest(drawn(1.1))[0] > 1
    late = drawn(1.0)[:181] + drawn(1.2)[181:]
    far, block = spread.farthest(late)
    assert far > 1
    assert block in (19, 20)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_variants_differ_from_each_other_and_from_the_reference_by_roundings(dtype: str) -> None:
    call = make_call(halved.spec, Case("training", "", {"T": dtype}, {"n": 1000}))
    (exact,) = reference(call, wide=True)(call.arguments)
    eps = torch.finfo(exact.dtype).eps
    found = [one(call.arguments)[0] for one in variants(call)]
    assert len(found) == RUNS
    for number, result in enumerate(found):
        assert result.dtype == exact.dtype
        off = (result.double() - exact.double()).abs()
        assert off.max() > 0
        assert (off <= 1.3 * eps * exact.double().abs()).all()
        assert all(not torch.equal(result, other) for other in found[:number])


def test_gradients_are_rounded_too_or_wrong_by_the_factor_that_is_asked_for() -> None:
    call = make_call(halved.spec, Case("training", "", {"T": "float32"}, {"n": 1000}))

    def gradient(function) -> torch.Tensor:
        leaf = call.arguments["input"].clone().requires_grad_()
        (result,) = function({"input": leaf})
        return torch.autograd.grad(result.sum(), leaf)[0]

    assert torch.equal(gradient(reference(call, wide=False)), torch.full((1000,), 0.5))
    wrong = gradient(reference(call, wide=True, gradients_times=1.5))
    assert torch.equal(wrong, torch.full((1000,), 0.75))
    rounded = gradient(next(variants(call)))
    assert 0 < (rounded - 0.5).abs().max() < 2e-7
