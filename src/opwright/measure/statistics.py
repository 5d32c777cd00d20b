"""Medians and ratios of times, each with an interval that a fair share of repetitions would stay in."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from opwright.measure.pooling import Pooled, pooled
from opwright.measure.student import student_quantile
from opwright.records.measurement import Series

_SHORTEST_US = 1e-3  # no clock here tells less apart; a time of zero has no logarithm


@dataclass(frozen=True)
class Interval:
    """From ``low`` to ``high``, both included."""

    low: float
    high: float


@dataclass(frozen=True)
class Ratio:
    """A time over another time: below 1 the first is faster.

    ``pairs`` counts those of all processes together, and is 0 where the times were not taken in pairs.
    ``processes`` is the lesser number of the two sides. ``from_samples`` says how much of the interval's
    squared width comes from the samples within each process, between 0 and 1: more samples narrow that,
    and the rest only more processes.
    """

    value: float
    low: float
    high: float
    pairs: int
    processes: int
    confidence: float = 0.99
    from_samples: float = 1.0


def median(times_us: Sequence[float]) -> float:
    """The middle one, or the mean of the middle two. Raises ValueError for no times at all."""
    return statistics.median(times_us)


def median_interval(times_us: Sequence[float], confidence: float = 0.99) -> Interval:
    """Where the true median lies, whatever the distribution, for samples that do not depend on each other.

    From the j-th smallest to the j-th largest: that misses the median when fewer than j of n samples lie
    on one side of it, and those are binomial (Le Boudec, Performance Evaluation of Computer and
    Communication Systems, theorem 2.1). Too few samples for the confidence (at 99 %: 7) give 0 to infinity.
    """
    count = len(times_us)
    rank = (count + 1) // 2
    covered = 0.0 if count % 2 else _share_below_median(count, rank)
    while covered < confidence and rank > 0:
        rank -= 1
        covered += 2 * _share_below_median(count, rank)
    if rank < 1:
        return Interval(0.0, math.inf)
    ordered = sorted(times_us)
    return Interval(ordered[rank - 1], ordered[count - rank])


def ratio_of_pairs(
    processes: Sequence[Sequence[tuple[float, float]]], confidence: float = 0.99
) -> Ratio:
    """The ratio of two subjects that were timed in turns, from each fresh process's pairs of microseconds.

    Each process says the median of its pairs' log ratios, and the ratio is the mean of what they say; see
    `pooled` for its error. Less than two processes give the interval from 0 to infinity.
    """
    told = [_log_ratios(pairs) for pairs in processes if pairs]
    pairs = sum(each.numel() for each in told)
    if not told:
        return Ratio(math.nan, 0.0, math.inf, 0, 0, confidence)
    found = pooled(told)
    half = _half_width(found.squared_error, found.freedom, confidence)
    low, high = _bounds(found.centre, half)
    value = math.exp(found.centre)
    return Ratio(value, low, high, pairs, len(told), confidence, found.from_samples)


def ratio_of_independent(
    before: Sequence[Series], after: Sequence[Series], confidence: float = 0.99
) -> Ratio:
    """The time after over the time before, of runs at different times: sample by sample nothing pairs up.

    Welch's interval for two means (Biometrika 34, 1947) over the processes' median log times. What the
    machine did differently throughout one of the runs it cannot know.
    """
    sides = [[_logs(each.times_us) for each in side if each.times_us] for side in (before, after)]
    processes = min(map(len, sides))
    if not processes:
        return Ratio(math.nan, 0.0, math.inf, 0, 0, confidence)
    old, new = map(pooled, sides)
    squared = old.squared_error + new.squared_error
    half = _half_width(squared, _welch_freedom(old, new), confidence)
    low, high = _bounds(new.centre - old.centre, half)
    parts = [each.from_samples * each.squared_error for each in (old, new)]
    from_samples = sum(parts) / squared if 0 < squared < math.inf else 1.0
    value = math.exp(new.centre - old.centre)
    return Ratio(value, low, high, 0, processes, confidence, from_samples)


def processes_interval(series: Sequence[Series], confidence: float = 0.99) -> Interval:
    """Where the median of further processes would lie on average; 0 to infinity for less than two."""
    found = pooled([_logs(each.times_us) for each in series if each.times_us])
    half = _half_width(found.squared_error, found.freedom, confidence)
    return Interval(*_bounds(found.centre, half))


def _log_ratios(pairs: Sequence[tuple[float, float]]) -> torch.Tensor:
    both = torch.tensor(pairs, dtype=torch.float64).clamp_(min=_SHORTEST_US).log_()
    return both[:, 0] - both[:, 1]


def _logs(times_us: Sequence[float]) -> torch.Tensor:
    return torch.tensor(times_us, dtype=torch.float64).clamp_(min=_SHORTEST_US).log_()


def _welch_freedom(one: Pooled, other: Pooled) -> float:
    parts = [each.squared_error**2 / each.freedom for each in (one, other) if each.freedom]
    if len(parts) < 2 or not sum(parts):
        return min(one.freedom, other.freedom)
    return (one.squared_error + other.squared_error) ** 2 / sum(parts)


def _half_width(squared_error: float, freedom: float, confidence: float) -> float:
    if not freedom:
        return math.inf
    return student_quantile(confidence, freedom) * math.sqrt(squared_error)


def _bounds(centre: float, half: float) -> tuple[float, float]:
    """Those of a ratio or a time, from those of its logarithm."""
    high = centre + half
    return math.exp(centre - half), math.exp(high) if high < 700 else math.inf


def _share_below_median(count: int, some: int) -> float:
    """How probable it is that exactly ``some`` of ``count`` samples lie below the true median."""
    ways = math.lgamma(count + 1) - math.lgamma(some + 1) - math.lgamma(count - some + 1)
    return math.exp(ways - count * math.log(2))
