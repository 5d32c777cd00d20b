"""Why samples do not describe a machine at rest: they drift, have two speeds, or depend on the process."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from itertools import pairwise

import torch

from opwright.measure.resampling import median_error
from opwright.measure.speeds import speeds_of
from opwright.measure.statistics import Interval, median, median_interval
from opwright.measure.student import student_quantile
from opwright.records.measurement import Series

_PARTS = 10
_FEWEST = 4 * _PARTS
_LEAST_DRIFT = 0.02
_SURE = 0.999  # there are several processes, and two directions
_LEAST_DISAGREEMENT = 0.01


def unreliable_because(series: Sequence[Series]) -> tuple[str, ...]:
    """One sentence with numbers for each thing that speaks against a row's samples; empty for nothing."""
    told = (_told_drift(series), _told_speeds(series), _told_disagreement(series))
    return tuple(sentence for sentence in told if sentence)


def drift_of(times_us: Sequence[float]) -> float:
    """By how much the times change from the first to the last, as a share; 0 where that may be chance.

    A straight line through the logarithms of the medians of ten parts: spikes do not move those, and
    jumps to and fro leave more beside the line than on it. Less than 40 samples tell nothing.
    """
    if len(times_us) < _FEWEST:
        return 0.0
    edges = [len(times_us) * part // _PARTS for part in range(_PARTS + 1)]
    parts = [math.log(max(median(times_us[a:b]), 1e-3)) for a, b in pairwise(edges)]
    slope, start = statistics.linear_regression(range(_PARTS), parts)
    beside = [each - start - slope * place for place, each in enumerate(parts)]
    error = math.sqrt(sum(each**2 for each in beside) / (_PARTS - 2))
    error /= math.sqrt((_PARTS**3 - _PARTS) / 12)
    change = math.expm1(slope * (_PARTS - 1))
    sure = abs(slope) > student_quantile(_SURE, _PARTS - 2) * error
    return change if sure and abs(change) > _LEAST_DRIFT else 0.0


def _told_drift(series: Sequence[Series]) -> str:
    changes = {each.process: drift_of(each.times_us) for each in series}
    drifting = {process: change for process, change in changes.items() if change}
    if not drifting:
        return ""
    worst = max(drifting, key=lambda process: abs(math.log1p(drifting[process])))
    change = drifting[worst]
    return (
        f"the times drift in {len(drifting)} of {len(series)} processes: in process {worst} they "
        f"{'rise' if change > 0 else 'fall'} by {100 * abs(change):.1f} % from the first to the last"
    )


def _told_speeds(series: Sequence[Series]) -> str:
    found = {each.process: speeds_of(each.times_us) for each in series}
    there = {process: speeds for process, speeds in found.items() if speeds}
    if not there:
        return ""
    worst = max(there, key=lambda process: there[process].slow_us / there[process].fast_us)
    speeds = there[worst]
    return (
        f"there are two speeds in {len(there)} of {len(series)} processes: in process {worst} "
        f"{100 * speeds.share:.0f} % of the samples take {speeds.slow_us / speeds.fast_us:.2f} times as "
        f"long as the rest (medians {speeds.slow_us:.4g} µs and {speeds.fast_us:.4g} µs)"
    )


def _told_disagreement(series: Sequence[Series]) -> str:
    intervals = {each.process: _own_interval(each.times_us) for each in series if each.times_us}
    if len(intervals) < 2:
        return ""
    fast = min(intervals, key=lambda process: intervals[process].high)
    slow = max(intervals, key=lambda process: intervals[process].low)
    if intervals[slow].low <= (1 + _LEAST_DISAGREEMENT) * intervals[fast].high:
        return ""
    return (
        f"processes disagree: the median of process {slow} lies between {_told(intervals[slow])}, that of "
        f"process {fast} between {_told(intervals[fast])}"
    )


def _own_interval(times_us: Sequence[float]) -> Interval:
    """The wider of two: for samples that do not depend on each other, and for runs of samples."""
    logs = torch.tensor(times_us, dtype=torch.float64).clamp_(min=1e-3).log_()
    factor = math.exp(statistics.NormalDist().inv_cdf(0.995) * median_error(logs))
    middle, free = median(times_us), median_interval(times_us)
    return Interval(min(middle / factor, free.low), max(middle * factor, free.high))


def _told(interval: Interval) -> str:
    return f"{interval.low:.4g} and {interval.high:.4g} µs"
