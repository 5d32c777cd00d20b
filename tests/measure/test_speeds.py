from __future__ import annotations

import random

import pytest

from opwright.measure.speeds import speeds_of


def times(count: int, seed: int, *, slow: float = 0.0, factor: float = 1.5) -> list[float]:
    draw = random.Random(seed)
    return [
        1000 * draw.lognormvariate(0, 0.04) * (factor if draw.random() < slow else 1.0)
        for _ in range(count)
    ]


@pytest.mark.parametrize("share", [0.15, 0.5, 0.8])
def test_planted_speeds_are_found_with_their_share(share: float) -> None:
    for seed in range(10):
        found = speeds_of(times(300, seed, slow=share))
        assert found is not None
        assert found.slow_us / found.fast_us == pytest.approx(1.5, rel=0.03)
        assert found.share == pytest.approx(share, abs=0.08)


def test_speeds_are_found_among_spikes() -> None:
    made = times(300, 1, slow=0.4)
    made[::50] = [10 * time for time in made[::50]]
    assert speeds_of(made) is not None


SINGLE = {
    "lognormal": lambda draw: draw.lognormvariate(7, 0.3),
    "uniform": lambda draw: draw.uniform(500, 1000),
    "exponential": lambda draw: 500 + draw.expovariate(1 / 300),
    "spikes": lambda draw: draw.gauss(1000, 50) * (10 if draw.random() < 0.03 else 1),
}


@pytest.mark.parametrize("count, most", [(60, 2), (200, 0)])
@pytest.mark.parametrize("kind", SINGLE)
def test_one_speed_is_not_taken_for_two(kind: str, count: int, most: int) -> None:
    draws = map(random.Random, range(100))
    found = [speeds_of([SINGLE[kind](draw) for _ in range(count)]) for draw in draws]
    assert sum(speeds is not None for speeds in found) <= most


def test_neighbouring_ticks_of_a_coarse_clock_are_one_speed() -> None:
    assert speeds_of([3.0, 3.5] * 50) is None
    assert speeds_of([3.0, 3.5, 8.0, 8.5] * 50) is not None


def test_few_samples_have_no_two_speeds() -> None:
    assert speeds_of([1.0, 2.0] * 10) is None


def test_equal_samples_have_one_speed() -> None:
    assert speeds_of([5.0] * 100) is None
