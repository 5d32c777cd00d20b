"""Declared tolerances."""

from __future__ import annotations

import math

import pytest
import torch

from opwright.errors import SpecError
from opwright.spec.formats import FLOAT_FORMATS
from opwright.spec.tolerance import Tolerance


def test_rtol_and_atol_add_up_as_in_torch() -> None:
    tolerance = Tolerance(rtol=1e-2, atol=1e-3)
    for expected, difference in ((5.0, 0.0509), (5.0, 0.0511), (0.0, 0.0009), (0.0, 0.0011)):
        one, other = torch.tensor(expected + difference), torch.tensor(expected)
        torchs = torch.isclose(one, other, rtol=1e-2, atol=1e-3).item()
        assert (difference <= tolerance.allowed(expected, "float32")) is torchs


def test_ulp_counts_where_it_allows_more() -> None:
    assert Tolerance(rtol=1e-3, ulp=2).allowed(30.0, "bfloat16") == 0.25
    assert Tolerance(rtol=1e-1, ulp=2).allowed(30.0, "bfloat16") == 3.0


def test_exact_dtypes_allow_nothing() -> None:
    assert Tolerance(rtol=0.1, atol=5.0).allowed(100.0, "int32") == 0.0


def test_a_relative_tolerance_grants_rounding_among_subnormals() -> None:
    assert Tolerance(rtol=1e-2).allowed(1e-45, "float32") == 2.0**-150


@pytest.mark.parametrize(
    "fields",
    [{"rtol": -1e-3}, {"atol": math.nan}, {"rtol": math.inf}, {"ulp": -1.0}, {"ulp": 0.25}],
)
def test_what_is_no_tolerance_is_refused(fields: dict[str, float]) -> None:
    with pytest.raises(SpecError, match=next(iter(fields))):
        Tolerance(**fields)


def test_a_tolerance_below_half_an_ulp_is_refused_with_the_place_and_the_cure() -> None:
    with pytest.raises(SpecError, match=r"\|y\|=30.*bfloat16 there is 0\.0625") as refusal:
        Tolerance(atol=0.06).require_attainable("bfloat16", -30.0)
    assert "rtol of at least 0.00391" in refusal.value.hint


@pytest.mark.parametrize("name", FLOAT_FORMATS)
def test_half_an_eps_of_rtol_is_attainable_everywhere(name: str) -> None:
    tolerance = Tolerance(rtol=FLOAT_FORMATS[name].eps / 2)
    for exponent in range(-1000, 1000, 7):
        for mantissa in (1.0, 1.3, 1.999999):
            tolerance.require_attainable(name, math.ldexp(mantissa, exponent))
