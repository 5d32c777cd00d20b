"""ULP errors, held against exact fractions over the whole of the half types."""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction

import pytest
import torch

from opwright.judge.ulp import deviation, format_of, rounds_to_infinity, ulp_size
from opwright.spec.formats import FLOAT_FORMATS, FloatFormat

HALVES = [torch.float16, torch.bfloat16]
WIDE = torch.float64


def every_value(dtype: torch.dtype) -> torch.Tensor:
    return torch.arange(-(1 << 15), 1 << 15, dtype=torch.int32).to(torch.int16).view(dtype)


def ulp_error(actual: torch.Tensor, oracle: torch.Tensor, form: FloatFormat) -> torch.Tensor:
    return deviation(actual, oracle, form).div_(ulp_size(oracle, form))


class Listed:
    """The numbers of a half type as a sorted list, and gaps read off that list."""

    def __init__(self, dtype: torch.dtype) -> None:
        values = every_value(dtype)
        self.numbers = sorted(set(values[values.isfinite() & ~values.signbit()].double().tolist()))

    def gap(self, oracle: float) -> float:
        place = bisect_right(self.numbers, abs(oracle))
        place = min(max(place, 1), len(self.numbers) - 1)
        return self.numbers[place] - self.numbers[place - 1]

    def error(self, actual: float, oracle: float) -> Fraction:
        return abs(Fraction(actual) - Fraction(oracle)) / Fraction(self.gap(oracle))


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_every_finite_value_has_the_spacing_that_the_list_of_numbers_shows(
    dtype: torch.dtype,
) -> None:
    listed, form = Listed(dtype), format_of(dtype)
    assert form is not None
    values = every_value(dtype).double()
    values = values[values.isfinite()]
    sizes = ulp_size(values, form).tolist()
    wrong = [v for v, s in zip(values.tolist(), sizes, strict=True) if s != listed.gap(v)]
    assert wrong == []


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_errors_between_numbers_are_those_of_exact_fractions(dtype: torch.dtype) -> None:
    listed, form = Listed(dtype), format_of(dtype)
    assert form is not None
    generator = torch.Generator().manual_seed(5)
    values = every_value(dtype)
    actual = values[values.isfinite()]
    # exact answers up to three ULP away: other binades, zeros and the other sign among them
    steps = torch.rand(actual.shape, generator=generator, dtype=WIDE) * 6 - 3
    oracle = actual.double() + steps * ulp_size(actual.double(), form)
    got = ulp_error(actual, oracle, form)
    chosen = torch.randperm(actual.numel(), generator=generator)[:8000]
    columns = (column[chosen].tolist() for column in (actual.double(), oracle, got))
    for one, exact, error in zip(*columns, strict=True):
        expected = listed.error(one, exact)
        assert abs(Fraction(error) - expected) <= expected * Fraction(1, 1 << 50), (one, exact)


@pytest.mark.parametrize("dtype", [*HALVES, torch.float32], ids=str)
def test_correct_rounding_is_never_more_than_half_an_ulp(dtype: torch.dtype) -> None:
    form = format_of(dtype)
    assert form is not None
    generator = torch.Generator().manual_seed(6)
    exponents = torch.rand(200_000, generator=generator, dtype=WIDE) * 330 - 200
    oracle = torch.exp2(exponents) * torch.randn(200_000, generator=generator, dtype=WIDE).sign()
    errors = ulp_error(oracle.to(dtype), oracle, form)
    assert errors.amax() <= 0.5 + 2**-12  # torch rounds by way of float32
    off = torch.nextafter(oracle.float(), torch.tensor(torch.inf)).double() + oracle * form.eps
    assert ulp_error(off.to(dtype), oracle, form).amax() > 0.9  # the measure can fail


@pytest.mark.parametrize("name", FLOAT_FORMATS)
def test_tensors_and_plain_numbers_have_the_same_ulp(name: str) -> None:
    form = FLOAT_FORMATS[name]
    values = [0.0, 5e-324, 1e-310, form.smallest_normal, 0.75, 1.0, -30.0, form.max, 1e308]
    sizes = ulp_size(torch.tensor(values, dtype=WIDE), form)
    assert sizes.tolist() == [form.ulp(value) for value in values]


def test_complex_values_have_the_ulp_of_their_modulus() -> None:
    form = FLOAT_FORMATS["float32"]
    oracle = torch.tensor([3 + 4j], dtype=torch.complex128)
    assert ulp_size(oracle, form).tolist() == [form.ulp(5.0)]
    actual = oracle + (3 + 4j) * 2.0**-20
    assert deviation(actual, oracle, form).tolist() == [5 * 2.0**-20]


INF, NAN = torch.inf, torch.nan
LARGEST = FLOAT_FORMATS["float16"].max


@pytest.mark.parametrize(
    "actual, oracle, ulp",
    [
        (NAN, NAN, 0.0),
        (INF, INF, 0.0),
        (-INF, -INF, 0.0),
        (INF, -INF, INF),
        (NAN, 1.0, INF),
        (1.0, NAN, INF),
        (NAN, INF, INF),
        (INF, NAN, INF),
        (LARGEST, INF, INF),
        (INF, 1.0, INF),
        (INF, 65520.0, 0.0),  # the first number that rounds to infinity
        (INF, 1e9, 0.0),
        (-INF, 1e9, INF),
        (LARGEST, 65520.0, 0.5),
        (LARGEST, 1e9, INF),
        (INF, LARGEST, 1.0),  # the infinity stands where the next number would
        (INF, 60000.0, INF),
        (0.0, -0.0, 0.0),
    ],
)
def test_special_values_agree_by_class_and_ieee_rounding(
    actual: float, oracle: float, ulp: float
) -> None:
    got = torch.tensor([actual], dtype=torch.float16)
    exact = torch.tensor([oracle], dtype=WIDE)
    # beside an ordinary element, and beside a special one
    for neighbour in (1.0, NAN):
        error = ulp_error(
            torch.cat([got, torch.tensor([neighbour]).half()]),
            torch.cat([exact, torch.tensor([neighbour], dtype=WIDE)]),
            FLOAT_FORMATS["float16"],
        )
        if (actual, oracle) == (LARGEST, 1e9) and neighbour == 1.0:
            assert error[0] > 1e6  # all finite: the distance itself says it
        else:
            assert error.tolist() == [ulp, 0.0]


def test_complex_special_values_are_compared_by_part() -> None:
    form = FLOAT_FORMATS["float32"]
    oracle = torch.tensor([complex(INF, 1.0), complex(NAN, 1.0)], dtype=torch.complex128)
    same = oracle.to(torch.complex64)
    other = torch.tensor([complex(1.0, INF), complex(1.0, NAN)], dtype=torch.complex64)
    assert deviation(same, oracle, form).tolist() == [0.0, 0.0]
    assert deviation(other, oracle, form).tolist() == [INF, INF]


def test_what_rounds_to_infinity() -> None:
    oracle = torch.tensor([65519.0, 65520.0, -INF, 0.0], dtype=WIDE)
    assert rounds_to_infinity(oracle, FLOAT_FORMATS["float16"]).tolist() == [
        False,
        True,
        True,
        False,
    ]
