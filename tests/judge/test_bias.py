from __future__ import annotations

import pytest
import torch

from judge.judged import compare
from opwright.judge.bias import rounding_bias, told_bias
from opwright.judge.ulp import format_of

HALVES = [torch.bfloat16, torch.float16]


def exact(count: int = 4096) -> torch.Tensor:
    return torch.randn(count, dtype=torch.float64, generator=torch.Generator().manual_seed(3))


def cut_off(values: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    nearest = values.to(dtype)
    inwards = torch.nextafter(nearest, torch.zeros((), dtype=dtype))
    return torch.where(nearest.double().abs() > values.abs(), inwards, nearest)


def rounded_down(values: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    nearest = values.to(dtype)
    below = torch.nextafter(nearest, torch.full((), -torch.inf, dtype=dtype))
    return torch.where(nearest.double() > values, below, nearest)


@pytest.mark.parametrize("dtype", HALVES)
def test_truncation_leans_towards_zero(dtype: torch.dtype) -> None:
    found = compare(cut_off(exact(), dtype), exact().to(dtype), exact())
    assert [reason.kind for reason in found.reasons] == ["accuracy"]
    assert "ULP towards zero" in found.reasons[0].message


@pytest.mark.parametrize("dtype", HALVES)
def test_rounding_down_leans_downwards(dtype: torch.dtype) -> None:
    found = compare(rounded_down(exact(), dtype), exact().to(dtype), exact())
    assert "ULP downwards" in found.reasons[0].message


@pytest.mark.parametrize("dtype", HALVES)
def test_rounding_to_nearest_twice_leans_nowhere(dtype: torch.dtype) -> None:
    twice = exact().float().to(dtype)
    assert compare(twice, exact().to(dtype), exact()).passed


def test_ties_rounded_away_from_zero_are_no_bias() -> None:
    """Sums of two numbers of one binade are ties or exact: a right kernel may send all ties away."""
    one = torch.arange(129, 256, dtype=torch.float64).repeat(8)
    middle = one + 0.5
    away = (middle + 0.5).to(torch.bfloat16)
    assert compare(away, middle.to(torch.bfloat16), middle).passed


def test_a_reference_that_cuts_off_itself_is_no_yardstick() -> None:
    cut = cut_off(exact(), torch.bfloat16)
    assert compare(cut, cut, exact()).passed


@pytest.mark.parametrize("dtype, count", [(torch.bfloat16, 100), (torch.float32, 4096)])
def test_few_elements_and_long_types_say_nothing(dtype: torch.dtype, count: int) -> None:
    form = format_of(dtype)
    assert form is not None
    assert rounding_bias(exact(count).to(dtype), exact(count), form) is None


def test_the_larger_lean_is_told_with_the_references() -> None:
    form = format_of(torch.bfloat16)
    assert form is not None
    wrong = rounding_bias(cut_off(exact(), torch.bfloat16), exact(), form)
    right = rounding_bias(exact().bfloat16(), exact(), form)
    assert wrong is not None
    assert right is not None
    assert told_bias(right, right) == ""
    assert "0.51 ULP towards zero" in told_bias(wrong, right)
