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
    with pytest.raises(UsageError, match="is no architecture of kind hip"):
        parse_target(f"hip:{architecture}")


def test_sources_for_another_kind_are_part_of_the_target() -> None:
    target = parse_target("cuda:sm_90/hip")
    assert target == Target("cuda", "sm_90", "hip")
    assert parse_target(str(target)) == target
    with pytest.raises(UsageError, match="sources for 'cpu' do not run on target cuda"):
        parse_target("cuda/cpu")
