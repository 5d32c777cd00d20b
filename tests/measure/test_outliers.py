from __future__ import annotations

import random

import pytest

from opwright.measure.outliers import far_off


def normal(count: int, seed: int) -> list[float]:
    draw = random.Random(seed)
    return [draw.gauss(1000, 50) for _ in range(count)]


def lognormal(count: int, seed: int) -> list[float]:
    draw = random.Random(seed)
    return [1000 * draw.lognormvariate(0, 0.3) for _ in range(count)]


def test_planted_spikes_are_found_at_their_places_and_nothing_else() -> None:
    for seed in range(20):
        times = normal(200, seed)
        times[17] *= 10
        times[150] *= 1.6
        times[60] /= 2
        assert far_off(times) == (17, 60, 150)


@pytest.mark.parametrize("made, most", [(normal, 0), (lognormal, 12)])
def test_clean_samples_have_hardly_any_even_when_they_are_skew(made, most: int) -> None:
    assert sum(len(far_off(made(200, seed))) for seed in range(30)) <= most


def test_two_speeds_are_no_outliers() -> None:
    assert far_off([*normal(60, 1), *(1.5 * time for time in normal(40, 2))]) == ()


def test_samples_on_one_tick_of_the_clock_are_judged_by_more_than_that_tick() -> None:
    assert far_off([1000.0] * 50 + [1001.0, 1200.0]) == (51,)


def test_few_samples_have_none() -> None:
    assert far_off([1.0] * 6 + [100.0]) == ()
