"""A leak is a slope that is surely above zero, and nothing else."""

from __future__ import annotations

from opwright.checks import leak
from opwright.checks.leak import slope


def test_a_steady_leak_has_its_slope_and_no_error() -> None:
    found = slope([1000 + 50 * 64 * i for i in range(9)], 50)
    assert found.per_call == 64
    assert found.surely == 64


def test_one_large_step_is_no_leak() -> None:
    assert (
        slope([0, 0, 0, 0, 100_000, 100_000, 100_000, 100_000, 100_000], 50).surely < 100_000 / 200
    )


def test_noise_around_a_level_is_no_leak() -> None:
    assert slope([10, 900, 0, 880, 30, 910, 5, 899, 12], 50).surely <= 0


def test_bursts_are_no_leak_of_objects_and_growth_in_each_round_is() -> None:
    bursts = [0, 25, 26, 28, 66, 67, 69, 83, 85]
    assert not leak._objects_grow([(0, objects, 0) for objects in bursts])
    assert leak._objects_grow([(0, 25 * place, 0) for place in range(9)])
