"""The sweep leaves out no value of a half type, and no kind of value of a longer one."""

from __future__ import annotations

import pytest
import torch

from opwright.inputs.special import SPRINKLED, form_of, regions, sprinkled, sweep

FLOATS = (torch.float64, torch.float32, torch.bfloat16, torch.float16)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_every_pattern_of_a_half_type_is_there_once(dtype: torch.dtype) -> None:
    patterns = sweep(dtype).view(torch.int16)
    assert patterns.numel() == patterns.unique().numel() == 1 << 16


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_every_binade_is_there_with_both_its_edges_and_both_signs(dtype: torch.dtype) -> None:
    values = set(sweep(dtype).to(torch.float64).tolist())
    form = form_of(dtype)
    for exponent in range(form.min_exponent - form.mantissa_bits, form.max_exponent + 1):
        assert {2.0**exponent, -(2.0**exponent)} <= values
    assert form.max in values
    assert form.smallest_subnormal in values


@pytest.mark.parametrize("dtype", FLOATS)
def test_every_value_belongs_to_a_region_and_every_region_has_values(dtype: torch.dtype) -> None:
    names, kinds = regions(sweep(dtype))
    counts = torch.bincount(kinds, minlength=len(names)).tolist()
    assert len(counts) == len(names)
    assert all(counts), dict(zip(names, counts, strict=True))


def test_regions_are_named_after_what_is_in_them() -> None:
    values = torch.tensor([float("nan"), -float("inf"), -0.0, 1e-40, 0.5, -2.0, 100.0, 1e30])
    names, kinds = regions(values)
    found = [names[kind] for kind in kinds]
    expected = ["NaN", "infinity", "zero", "subnormal", "below 1", "1 to 8", "8 to 128", "huge"]
    assert found == expected


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", SPRINKLED)
def test_a_sprinkled_value_is_what_its_name_says(name: str, dtype: torch.dtype) -> None:
    value = torch.tensor([sprinkled(name, dtype)], dtype=dtype)
    names, kinds = regions(value)
    region = {"NaN": "NaN", "minus zero": "zero", "subnormal": "subnormal"}
    if "infinity" in name:
        assert value.isinf()
    else:
        assert names[int(kinds[0])] == region.get(name, names[-1])
