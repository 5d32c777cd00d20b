from __future__ import annotations

import math

import pytest
import torch

from measure.made_up import JITTER, NOISES, Noise, made_pairs
from opwright.measure.statistics import (
    Interval,
    median,
    median_interval,
    processes_interval,
    ratio_of_independent,
    ratio_of_pairs,
)
from opwright.records.measurement import Series


def series_of(times: torch.Tensor) -> list[Series]:
    return [Series(number, tuple(row), 0, "") for number, row in enumerate(times.tolist())]


def test_the_median_is_the_middle_or_between_the_middle_two() -> None:
    assert (median([3, 1, 2]), median([4, 1, 2, 3])) == (2, 2.5)


# Ranks that Le Boudec's table A.1 and binomial tables give.
@pytest.mark.parametrize(
    "count, confidence, ranks",
    [(8, 0.99, (1, 8)), (30, 0.99, (8, 23)), (31, 0.95, (10, 22)), (6, 0.95, (1, 6))],
)
def test_the_interval_of_a_median_has_the_ranks_of_the_tables(
    count: int, confidence: float, ranks: tuple[int, int]
) -> None:
    times = [float(number) for number in range(count, 0, -1)]
    assert median_interval(times, confidence) == Interval(*ranks)


@pytest.mark.parametrize("count", [0, 1, 7])
def test_too_few_samples_bound_no_median(count: int) -> None:
    assert median_interval([1.0] * count) == Interval(0.0, math.inf)


@pytest.mark.parametrize("count", [25, 60])
def test_the_interval_covers_the_median_of_a_skew_distribution_as_often_as_it_says(
    count: int,
) -> None:
    draw = torch.Generator().manual_seed(count)
    times = torch.empty(2000, count).exponential_(generator=draw)
    found = [median_interval(row, 0.95) for row in times.tolist()]
    covered = sum(each.low <= math.log(2) <= each.high for each in found) / 2000
    assert 0.945 <= covered <= 0.985


def test_the_ratio_is_that_of_the_planted_factor_within_its_interval() -> None:
    for factor in (0.8, 1.0, 1.3):
        pairs = made_pairs(JITTER, comparisons=1, processes=6, pairs=80, factor=factor)[0]
        ratio = ratio_of_pairs(pairs.tolist())
        assert ratio.low < factor < ratio.high
        assert ratio.value == pytest.approx(factor, rel=0.02)
        assert (ratio.pairs, ratio.processes) == (480, 6)


def test_the_same_pairs_give_the_same_ratio_and_swapped_ones_its_reciprocal() -> None:
    pairs = made_pairs(JITTER, comparisons=1, processes=5, pairs=41, factor=1.1)[0]
    ratio, swapped = ratio_of_pairs(pairs.tolist()), ratio_of_pairs(pairs.flip(-1).tolist())
    assert ratio_of_pairs(pairs.tolist()) == ratio
    assert swapped.value == pytest.approx(1 / ratio.value)
    assert (swapped.low, swapped.high) == (
        pytest.approx(1 / ratio.high, rel=1e-3),
        pytest.approx(1 / ratio.low, rel=1e-3),
    )


@pytest.mark.parametrize("processes", [2, 3, 5])
@pytest.mark.parametrize(
    "noise",
    [JITTER, NOISES["autocorrelation"], Noise(jitter=0.005, process_bias=0.02)],
    ids=["jitter", "autocorrelation", "processes"],
)
def test_few_processes_and_neighbours_that_resemble_each_other_do_not_narrow_the_interval(
    noise: Noise, processes: int
) -> None:
    made = made_pairs(noise, comparisons=150, processes=processes, pairs=40)
    found = [ratio_of_pairs(each, 0.9) for each in made.tolist()]
    assert sum(each.low <= 1 <= each.high for each in found) >= 0.85 * 150


def test_a_ratio_of_unlike_processes_asks_for_processes_and_one_of_wild_samples_for_samples() -> (
    None
):
    pairs = made_pairs(JITTER, comparisons=1, processes=5, pairs=60)[0]
    assert ratio_of_pairs(pairs.tolist()).from_samples > 0.4
    pairs[..., 0] *= torch.tensor([1.0, 1.1, 1.2, 1.3, 1.4]).reshape(5, 1)
    assert ratio_of_pairs(pairs.tolist()).from_samples < 0.1


def test_one_process_has_a_ratio_but_no_interval() -> None:
    ratio = ratio_of_pairs([[(11.0, 10.0)] * 50])
    assert ratio.value == pytest.approx(1.1)
    assert (ratio.low, ratio.high, ratio.processes) == (0.0, math.inf, 1)


def test_nothing_gives_no_ratio_and_a_time_of_zero_is_no_error() -> None:
    assert math.isnan(ratio_of_pairs([[], []]).value)
    assert ratio_of_pairs([[(0.0, 0.0)] * 9] * 2).value == 1


def test_independent_runs_give_the_ratio_within_its_interval() -> None:
    before, after = (
        made_pairs(JITTER, comparisons=1, processes=k, pairs=60, seed=k)[0, ..., 1] for k in (5, 7)
    )
    ratio = ratio_of_independent(series_of(before), series_of(1.2 * after))
    assert ratio.low < 1.2 < ratio.high
    assert ratio.value == pytest.approx(1.2, rel=0.02)
    assert (ratio.pairs, ratio.processes) == (0, 5)


def test_independent_runs_of_one_process_have_no_interval() -> None:
    times = made_pairs(JITTER, comparisons=1, processes=5, pairs=60)[0, ..., 1]
    ratio = ratio_of_independent(series_of(times), series_of(times[:1]))
    assert (ratio.low, ratio.high, ratio.processes) == (0.0, math.inf, 1)


def test_independent_runs_know_their_interval_as_often_as_they_say() -> None:
    before, after = (
        made_pairs(JITTER, comparisons=150, processes=5, pairs=40, seed=seed)[..., 0]
        for seed in (1, 2)
    )
    found = [
        ratio_of_independent(series_of(one), series_of(other), 0.9)
        for one, other in zip(before, after, strict=True)
    ]
    share = sum(each.low <= 1 <= each.high for each in found) / 150
    assert 0.86 <= share < 1


def test_the_processes_interval_grows_with_what_lies_between_them() -> None:
    times = made_pairs(JITTER, comparisons=1, processes=5, pairs=60)[0, ..., 1]
    near = processes_interval(series_of(times))
    levels = torch.tensor([0.8, 0.9, 1.0, 1.1, 1.2]).reshape(5, 1)
    far = processes_interval(series_of(times * levels))
    assert far.low < 0.9 * near.low < near.low < 1000 < near.high < far.high
