from __future__ import annotations

import math

import pytest
import torch

from opwright.spec.formats import FLOAT_FORMATS, float_format


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
