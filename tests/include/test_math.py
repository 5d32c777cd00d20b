"""The float functions against float64 on a dense sweep over every exponent, with their stated bounds."""

from __future__ import annotations

import ctypes
import functools
import math
from collections.abc import Callable

import pytest
import torch

from native_library import EACH_FLAG_SET, FLAG_SETS, compile_library

NAMES = (
    "exp",
    "exp_of_negative",
    "tanh",
    "erf",
    "erfc",
    "sigmoid",
    "silu",
    "gelu_tanh",
    "gelu_erf",
)
SOURCE = "#include <opwright/kernel.h>\n" + "".join(
    f"""
    extern "C" void float_{name}(const float* x, float* y, int64_t count) {{
      for (int64_t i = 0; i < count; ++i) y[i] = opwright::{name}(x[i]);
    }}
    extern "C" void double_{name}(const double* x, double* y, int64_t count) {{
      for (int64_t i = 0; i < count; ++i) y[i] = opwright::{name}(x[i]);
    }}"""
    for name in NAMES
)


def gelu_tanh(x: torch.Tensor) -> torch.Tensor:
    """By the sigmoid, since torch's own formula cancels for negative x in float64 too."""
    u = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    return x / (1 + torch.exp(-2 * u))


ORACLES: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "exp": torch.exp,
    "exp_of_negative": torch.exp,
    "tanh": torch.tanh,
    "erf": torch.erf,
    "erfc": torch.special.erfc,
    "sigmoid": lambda x: 1 / (1 + torch.exp(-x)),
    "silu": lambda x: x / (1 + torch.exp(-x)),
    "gelu_tanh": gelu_tanh,
    "gelu_erf": lambda x: 0.5 * x * torch.special.erfc(-x * math.sqrt(0.5)),
}

# (from, to, largest error in units in the last place), as math.h states them
EVERYWHERE = (-math.inf, math.inf)
BOUNDS = {
    "exp": [(*EVERYWHERE, 1.1)],
    "exp_of_negative": [(-87.33, 0.0, 1.1)],
    "tanh": [(*EVERYWHERE, 1.5)],
    "erf": [(*EVERYWHERE, 1.3)],
    "erfc": [(-math.inf, 0.5, 1.3), (0.5, 9.2, 8.5)],
    "sigmoid": [(-87.0, math.inf, 2.5)],
    "silu": [(-87.0, math.inf, 2.5)],
    "gelu_tanh": [(-0.5, math.inf, 2.3), (-2, -0.5, 6.5), (-5, -2, 40), (-9.9, -5, 220)],
    "gelu_erf": [(1.0, math.inf, 1.9), (-0.5, 1.0, 4.5), (-12.8, -0.5, 8.5)],
}
# The largest argument, where not all of them are taken.
LARGEST = {"exp_of_negative": 0.0}
# What the rest of the axis may give at most: results that are as good as zero
NEARLY_ZERO = 1e-35


@pytest.fixture(scope="module", params=EACH_FLAG_SET)
def functions(request, tmp_path_factory) -> ctypes.CDLL:
    return compile_library(tmp_path_factory.mktemp("math"), SOURCE, FLAG_SETS[request.param])


def call(function, x: torch.Tensor) -> torch.Tensor:
    y = torch.empty_like(x)
    function(
        ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(y.data_ptr()), ctypes.c_int64(x.numel())
    )
    return y


@functools.cache
def sweep() -> torch.Tensor:
    """Every 4093rd finite float: 2,000 in each binade of both signs."""
    bits = torch.arange(-(2**31), 2**31, 4093, dtype=torch.int64).to(torch.int32)
    x = bits.view(torch.float32)
    return x[x.isfinite()].contiguous()


def taken(name: str, x: torch.Tensor) -> torch.Tensor:
    """Those of the arguments that the function is for; NaN is."""
    return x[~(x > LARGEST.get(name, math.inf))]


def errors_ulp(y: torch.Tensor, oracle: torch.Tensor) -> torch.Tensor:
    """Distance from the oracle in units in the last place that a float near the oracle has."""
    exponent = torch.frexp(oracle.abs().clamp_min(2.0**-126)).exponent
    unit = torch.ldexp(torch.ones_like(oracle), exponent - 24)
    return (y.double() - oracle).abs() / unit


@pytest.mark.parametrize("name", NAMES)
def test_float_versions_keep_their_error_bounds(functions, name):
    x = taken(name, sweep())
    y, oracle = call(getattr(functions, f"float_{name}"), x), ORACLES[name](x.double())
    overflow = oracle.abs() > torch.finfo(torch.float32).max
    assert torch.equal(y[overflow], oracle[overflow].float())
    error = torch.where(overflow, 0.0, errors_ulp(y, oracle))
    stated = torch.zeros_like(x, dtype=torch.bool)
    for low, high, bound in BOUNDS[name]:
        inside = (x >= low) & (x <= high)
        worst = error[inside].argmax()
        assert error[inside][worst] <= bound, f"{name}({x[inside][worst]})"
        stated |= inside
    if not stated.all():
        assert (y[~stated].double() - oracle[~stated]).abs().max() < NEARLY_ZERO


@pytest.mark.parametrize("name", NAMES)
def test_double_versions_agree_with_torch(functions, name):
    x = taken(name, sweep()[::7]).double()
    y, oracle = call(getattr(functions, f"double_{name}"), x), ORACLES[name](x)
    tolerance = 1e-12  # GELU's tail multiplies the rounding of its argument
    torch.testing.assert_close(y, oracle, rtol=tolerance, atol=1e-320)


@pytest.mark.parametrize("name", NAMES)
def test_special_values_are_those_of_the_formula(functions, name):
    infinity = math.inf
    x = torch.tensor(
        [infinity, -infinity, math.nan, -math.nan, 0.0, -0.0, 3e38, -3e38, 1e-40, -1e-40]
    )
    x = taken(name, x)
    expected = ORACLES[name](x.double()).float()
    y = call(getattr(functions, f"float_{name}"), x)
    torch.testing.assert_close(y, expected, rtol=0, atol=0, equal_nan=True)
    number = ~expected.isnan()
    assert torch.equal(y[number].signbit(), expected[number].signbit())
