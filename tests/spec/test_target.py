"""Targets as users write them."""

from __future__ import annotations

import pytest

from opwright.errors import UsageError
from opwright.spec.target import Target, parse_target

HIP = ("gfx906", "gfx90a", "gfx1151", "gfx9-generic", "gfx10-3-generic", "gfx9-4-generic")


@pytest.mark.parametrize("architecture", HIP)
def test_the_names_of_amds_chips_and_families_are_architectures(architecture: str) -> None:
    assert parse_target(f"hip:{architecture}") == Target("hip", architecture)


@pytest.mark.parametrize(
    "architecture", ["sm_90", "gfx", "gfx90a,gfx942", "gfx90a:xnack-", "generic"]
)
def test_what_is_none_of_them_is_refused(architecture: str) -> None:
    with pytest.raises(UsageError, match="is not the name of a hip architecture"):
        parse_target(f"hip:{architecture}")
