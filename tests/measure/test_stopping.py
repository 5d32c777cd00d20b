from __future__ import annotations

import math
import random

import pytest

from opwright.measure.stopping import Limits, is_warm, why_stop


def noisy(count: int, jitter: float, seed: int = 0) -> list[float]:
    draw = random.Random(seed)
    return [1000 * math.exp(draw.gauss(0, jitter)) for _ in range(count)]


def first_warm(times: list[float]) -> int:
    return next((n for n in range(len(times) + 1) if is_warm(times[:n])), len(times) + 1)


def test_steady_times_are_warm_after_the_fewest_calls() -> None:
    assert first_warm([1000.0] * 50) == 24


@pytest.mark.parametrize("calls", [30, 100, 300])
def test_a_warm_up_is_waited_for_whether_it_is_quick_or_slow(calls: int) -> None:
    for seed in range(10):
        times = [
            time * (1 + math.exp(-3 * number / calls))
            for number, time in enumerate(noisy(10 * calls, 0.01, seed))
        ]
        assert 0.5 * calls < first_warm(times) < 4 * calls


def test_a_step_down_is_waited_for() -> None:
    times = [3000.0] * 12 + [1000.0] * 100
    assert 24 <= first_warm(times) <= 40


def test_times_that_rise_are_no_warm_up() -> None:
    assert is_warm([1000.0 + 10 * number for number in range(40)])


def test_noise_and_spikes_do_not_keep_the_warm_up_going() -> None:
    for seed in range(20):
        times = noisy(200, 0.1, seed)
        times[::37] = [10 * time for time in times[::37]]
        assert first_warm(times) < 100


def test_samples_are_enough_when_the_interval_is_narrow_and_not_before() -> None:
    limits = Limits()
    assert why_stop(noisy(100, 0.05), 0.1, limits) is None
    assert why_stop(noisy(1000, 0.05), 0.1, limits) == "interval of the median is within 1 %"
    assert why_stop(noisy(1000, 0.05), 0.1, Limits(precision=0.002)) is None


def test_equal_samples_are_not_enough_before_the_fewest() -> None:
    limits = Limits(min_samples=30)
    assert why_stop([1.0] * 29, 0.1, limits) is None
    assert why_stop([1.0] * 30, 0.1, limits) is not None
    assert why_stop([], 0.0, limits) is None


def test_the_precision_is_named_as_asked_for() -> None:
    told = why_stop([1.0] * 40, 0.1, Limits(precision=0.025))
    assert told == "interval of the median is within 2.5 %"


def test_time_and_number_end_the_samples_and_say_so() -> None:
    limits = Limits(seconds=2.0, max_samples=100)
    assert why_stop(noisy(99, 0.3), 1.9, limits) is None
    assert why_stop(noisy(100, 0.3), 1.9, limits) == "sample limit"
    assert why_stop(noisy(99, 0.3), 2.0, limits) == "time limit"
    assert why_stop([1.0], 2.0, limits) == "time limit"
