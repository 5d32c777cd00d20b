"""The 16-bit types agree with PyTorch's on every value."""

from __future__ import annotations

import ctypes

import pytest
import torch

from native_library import EACH_FLAG_SET, FLAG_SETS, compile_library

SOURCE = """
#include <opwright/kernel.h>
#define EXPORT(T) \\
  extern "C" void widen_##T(const opwright::T* from, float* to, int64_t count) { \\
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(from[i]); \\
  } \\
  extern "C" void narrow_##T(const float* from, opwright::T* to, int64_t count) { \\
    for (int64_t i = 0; i < count; ++i) to[i] = opwright::T(from[i]); \\
  } \\
  extern "C" void copy_##T(const opwright::T* from, opwright::T* to, int64_t count) { \\
    auto same = [](float x) { return x; }; \\
    opwright::map_range(to, count, same, from); \\
  }
EXPORT(bfloat16)
EXPORT(float16)
"""
DTYPES = (torch.bfloat16, torch.float16)


@pytest.fixture(scope="module", params=EACH_FLAG_SET)
def conversions(request, tmp_path_factory) -> ctypes.CDLL:
    return compile_library(tmp_path_factory.mktemp("dtype"), SOURCE, FLAG_SETS[request.param])


def convert(library, name: str, source: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    result = torch.full(source.shape, 77, dtype=dtype)
    count = ctypes.c_int64(source.numel())
    data = [ctypes.c_void_p(t.data_ptr()) for t in (source, result)]
    getattr(library, name)(*data, count)
    return result


def every_value(dtype: torch.dtype) -> torch.Tensor:
    return torch.arange(-(2**15), 2**15, dtype=torch.int32).to(torch.int16).view(dtype)


def assert_same_bits(actual: torch.Tensor, expected: torch.Tensor) -> None:
    """Equal to the last bit, except that NaN is equal to NaN."""
    bits = {2: torch.int16, 4: torch.int32}[expected.element_size()]
    number = ~expected.isnan()
    assert torch.equal(actual.isnan(), ~number)
    assert torch.equal(actual.view(bits)[number], expected.view(bits)[number])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_value_widens_exactly(conversions, dtype):
    values = every_value(dtype)
    assert_same_bits(
        convert(conversions, f"widen_{str(dtype)[6:]}", values, torch.float32), values.float()
    )


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_value_survives_a_round_trip_through_blocks(conversions, dtype):
    values = every_value(dtype)
    assert_same_bits(convert(conversions, f"copy_{str(dtype)[6:]}", values, dtype), values)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_narrowing_rounds_to_nearest_even_at_every_boundary(conversions, dtype):
    """Around every value and every midpoint between neighbours: where rounding can go wrong."""
    values = every_value(dtype).float()
    values = values[values.isfinite()].unique()
    midpoints = ((values[:-1].double() + values[1:].double()) / 2).float()
    overflow = torch.tensor([65519.0, 65520.0, 3.3961775e38, 3.4028235e38, float("inf")])
    at = torch.cat([values, midpoints, overflow, -overflow])
    up = torch.nextafter(at, torch.tensor(float("inf")))
    down = torch.nextafter(at, torch.tensor(-float("inf")))
    inputs = torch.cat([at, up, down, torch.tensor([-0.0, float("nan"), -float("nan")])])
    assert_same_bits(
        convert(conversions, f"narrow_{str(dtype)[6:]}", inputs, dtype), inputs.to(dtype)
    )


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_narrowing_agrees_on_floats_of_every_exponent(conversions, dtype):
    inputs = torch.arange(-(2**31), 2**31, 1021, dtype=torch.int64).to(torch.int32)
    inputs = inputs.view(torch.float32)
    assert_same_bits(
        convert(conversions, f"narrow_{str(dtype)[6:]}", inputs, dtype), inputs.to(dtype)
    )
