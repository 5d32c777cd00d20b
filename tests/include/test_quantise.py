"""Dividing many numbers by one: the bits of a division, whatever the divisor."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import pytest
import torch

from native_library import EACH_FLAG_SET, FLAG_SETS, compile_library

SOURCE = """
#include <opwright/quantise.h>
extern "C" void quotients(const float* numbers, float divisor, float* results, int64_t count) {
  const opwright::Divisor by(divisor);
  for (int64_t i = 0; i < count; ++i) results[i] = by.quotient(numbers[i]);
}
"""
DIVISORS = [1.0, 3.0, 0.1, 7.7e-5, 2.6e36, 9.9e-31, 1.1e-30, 1.2e-38, 1e-40, 1e-45]


@pytest.fixture(scope="module", params=EACH_FLAG_SET)
def quotients(request, tmp_path_factory) -> Callable[..., None]:
    library = compile_library(
        tmp_path_factory.mktemp("quantise"), SOURCE, FLAG_SETS[request.param], parallel_for=False
    )
    function = library.quotients
    function.argtypes = [ctypes.c_void_p, ctypes.c_float, ctypes.c_void_p, ctypes.c_int64]
    return function


def divided(quotients: Callable[..., None], numbers: torch.Tensor, divisor: float) -> torch.Tensor:
    results = torch.empty_like(numbers)
    quotients(numbers.data_ptr(), divisor, results.data_ptr(), numbers.numel())
    return results


@pytest.mark.parametrize("divisor", DIVISORS)
def test_quotients_are_those_of_a_division(quotients, divisor: float) -> None:
    of = torch.tensor(divisor)
    numbers = (of.double() * torch.linspace(-127, 127, 100_001, dtype=torch.float64)).float()
    expected = numbers / of
    results = divided(quotients, numbers, divisor)
    large = (
        expected.abs() > 1e-3
    )  # what is smaller rounds to 0, and its correction may be subnormal
    assert torch.equal(results[large], expected[large])
    assert (results[~large].abs() < 2e-3).all()


@pytest.mark.parametrize("divisor", [0.0, float("inf"), float("nan")])
def test_what_is_no_number_stays_none(quotients, divisor: float) -> None:
    numbers = torch.tensor([0.0, float("nan"), float("inf")])
    results = divided(quotients, numbers, divisor)
    assert results[1].isnan()
    assert results[0].isnan() or results[0] == 0  # 0 / 0, or 0 / infinity
    assert not results[2].isfinite()
