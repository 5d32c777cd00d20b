from __future__ import annotations

import random

import pytest

from measure.made_up import GPU, JITTER, NOISES, Noise, made_pairs
from opwright.measure.drift import drift_of, unreliable_because
from opwright.records.measurement import Series


def noisy(count: int, seed: int, change: float = 0.0) -> list[float]:
    draw = random.Random(seed)
    return [
        1000 * draw.lognormvariate(0, 0.03) * (1 + change * number / count)
        for number in range(count)
    ]


def series_of(*processes: list[float]) -> list[Series]:
    return [Series(number, tuple(times), 0, "") for number, times in enumerate(processes)]


@pytest.mark.parametrize("change", [0.1, -0.08])
def test_a_planted_drift_is_found_with_its_size(change: float) -> None:
    for seed in range(10):
        times = noisy(400, seed, change)
        times[::40] = [10 * time for time in times[::40]]
        assert drift_of(times) == pytest.approx(change, abs=0.03)


def test_noise_spikes_and_jumps_to_and_fro_are_no_drift() -> None:
    for seed in range(50):
        assert drift_of(noisy(200, seed)) == 0
        jumping = [t * (1.5 if n // 30 % 2 else 1) for n, t in enumerate(noisy(300, seed))]
        assert drift_of(jumping) == 0


def test_a_change_too_small_to_matter_or_too_few_samples_are_no_drift() -> None:
    assert drift_of([1000 + 0.01 * number for number in range(1000)]) == 0
    assert drift_of([float(number) for number in range(1, 30)]) == 0


def test_a_drift_is_told_with_its_process_and_size() -> None:
    rising = [1000 * (1 + 0.1 * number / 99) for number in range(100)]
    assert unreliable_because(series_of([1050.0] * 100, rising)) == (
        "the times drift in 1 of 2 processes: in process 1 they rise by 9.0 % from the first to the last",
    )


def test_two_speeds_are_told_with_both() -> None:
    times = [1000.0 + number % 7 for number in range(60)] + [1500.0 + n % 7 for n in range(40)]
    random.Random(0).shuffle(times)
    (told,) = unreliable_because(series_of(times, times))
    assert told == (
        "there are two speeds in 2 of 2 processes: in process 0 40 % of the samples take 1.50 times "
        "as long as the rest (medians 1503 µs and 1003 µs)"
    )


def test_processes_that_disagree_are_told_with_their_intervals() -> None:
    fast, slow = noisy(100, 1), [1.1 * time for time in noisy(100, 2)]
    (told,) = unreliable_because(series_of(fast, slow, noisy(100, 3)))
    assert told.startswith("processes disagree: the median of process 1 lies between 10")
    assert told.endswith(" µs")


def test_runs_of_slow_samples_within_processes_are_no_disagreement_between_them() -> None:
    walk = Noise(jitter=0.001, common_walk=0.03)
    made = made_pairs(walk, comparisons=100, processes=2, pairs=100)[..., 0]
    told = [sentence for each in made.tolist() for sentence in unreliable_because(series_of(*each))]
    assert sum(sentence.startswith("processes disagree") for sentence in told) <= 3


def doubted(noise: Noise, comparisons: int = 8) -> int:
    made = made_pairs(noise, comparisons=comparisons, processes=5, pairs=200, seed=7)[..., 1]
    return sum(bool(unreliable_because(series_of(*each))) for each in made.tolist())


def test_a_machine_at_rest_is_not_doubted_and_a_restless_one_is() -> None:
    assert doubted(GPU) == doubted(JITTER) == doubted(NOISES["spikes"]) == 0
    assert doubted(NOISES["two speeds"]) == doubted(NOISES["drift"]) == 8


def test_empty_series_are_no_reason() -> None:
    assert unreliable_because(series_of([], [])) == ()
