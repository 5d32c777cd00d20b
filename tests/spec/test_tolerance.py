"""Declared tolerances and the facts of the formats that they are held against."""

from __future__ import annotations

import math

import pytest
import torch

from opwright.errors import SpecError
from opwright.spec.tolerance import FLOAT_FORMATS, Tolerance, float_format, reduction_limit


@pytest.mark.parametrize("name", FLOAT_FORMATS)
def test_formats_have_the_numbers_that_torch_gives(name: str) -> None:
    form, torchs = FLOAT_FORMATS[name], torch.finfo(getattr(torch, name))
    assert form.eps == torchs.eps
    assert form.max == torchs.max
    assert form.smallest_normal == torchs.smallest_normal
    assert form.smallest_subnormal == torchs.smallest_normal * torchs.eps


@pytest.mark.parametrize("name", ["float32", "float16", "bfloat16"])
def test_overflow_is_the_least_number_that_rounds_to_infinity(name: str) -> None:
    dtype, form = getattr(torch, name), FLOAT_FORMATS[name]
    threshold = torch.tensor([form.overflow], dtype=torch.float64)
    below = torch.nextafter(threshold, torch.zeros(1, dtype=torch.float64))
    assert threshold.to(dtype).isinf()
    if name == "float32":  # torch rounds the half types twice, by way of float32
        assert below.to(dtype) == form.max


def test_ulp_is_the_spacing_of_the_binade() -> None:
    half = FLOAT_FORMATS["bfloat16"]
    assert half.ulp(30.0) == 0.125
    assert half.ulp(-32.0) == 0.25
    assert half.ulp(math.nextafter(32.0, 0.0)) == 0.125
    assert half.ulp(0.0) == half.ulp(1e-45) == half.smallest_subnormal
    assert half.ulp(math.inf) == half.ulp(1e300) == half.ulp(half.max)
    assert FLOAT_FORMATS["float64"].ulp(0.0) == 5e-324


def test_complex_dtypes_have_the_format_of_their_parts_and_exact_ones_have_none() -> None:
    assert float_format("complex64") is FLOAT_FORMATS["float32"]
    assert float_format("int32") is float_format("bool") is None


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


def test_sums_are_allowed_more_the_longer_they_are_and_half_types_sum_in_float32() -> None:
    assert reduction_limit("float32", 1, 1.0) == 0.0
    assert reduction_limit("float32", 400, 1.0) == 2 * reduction_limit("float32", 100, 1.0)
    assert reduction_limit("bfloat16", 100, 3.0) == reduction_limit("float32", 100, 3.0)
