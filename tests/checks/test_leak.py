"""A leak is a slope that is surely above zero, and nothing else."""

from __future__ import annotations

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
