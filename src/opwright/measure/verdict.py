"""What a ratio of two times may be called, and what becomes of a row's samples."""

from __future__ import annotations

import math
from collections.abc import Sequence

from opwright.measure.outliers import far_off
from opwright.measure.statistics import Ratio, median, median_interval, processes_interval
from opwright.measure.student import student_quantile
from opwright.records.measurement import Estimate, RatioVerdict, Series

_ENOUGH_PROCESSES = 5
_MOST_PROCESSES = 50


def verdict_of(ratio: Ratio, bound: float = 0.01) -> tuple[RatioVerdict, str]:
    """What to call a ratio, and why; ``bound`` is the share by which equals may differ.

    Slower and faster want the whole interval beyond the bound: excluding 1 alone would call every
    difference one that enough samples resolve, the process's luck with its memory included. Same wants
    it inside. The bounds are 1 + bound and its reciprocal, so swapped subjects get swapped verdicts.
    """
    if not ratio.processes:
        return "cannot tell", "there are no samples of both"
    limit = math.log1p(bound)
    low, high = _log(ratio.low), _log(ratio.high)
    interval = _told_interval(ratio)
    if low > limit:
        return "slower", f"{interval}: more than {100 * bound:g} % above 1"
    if high < -limit:
        return "faster", f"{interval}: more than {100 * bound:g} % below 1"
    if -limit <= low and high <= limit:
        return "same", f"{interval}: within {100 * bound:g} % of 1"
    return "cannot tell", f"{interval}; {_what_would_help(ratio, limit, bound)}"


def estimate_of(series: Sequence[Series], confidence: float = 0.99) -> Estimate:
    """The median of all samples, with an interval that holds for them and for further processes.

    One process shows nothing of others: its interval is that of its own samples. Outliers are counted
    within each process. Raises ValueError where there is no sample.
    """
    times_us = [time for each in series for time in each.times_us]
    middle = median(times_us)
    interval = median_interval(times_us, confidence)
    low, high = interval.low, interval.high
    if sum(bool(each.times_us) for each in series) > 1:
        further = processes_interval(series, confidence)
        low, high = min(low, further.low), max(high, further.high)
    outliers = sum(len(far_off(each.times_us)) for each in series)
    return Estimate(middle, low, high, len(times_us), outliers)


def _told_interval(ratio: Ratio) -> str:
    taken = f"{ratio.pairs} pairs in " if ratio.pairs else "separate runs of "
    taken += "1 process" if ratio.processes == 1 else f"{ratio.processes} processes"
    if ratio.processes < 2:
        return f"{ratio.value:.3f} times the time over {taken}, without an interval"
    return (
        f"{ratio.value:.3f} times the time, {ratio.low:.3f} to {ratio.high:.3f} at "
        f"{100 * ratio.confidence:g} % confidence over {taken}"
    )


def _what_would_help(ratio: Ratio, limit: float, bound: float) -> str:
    if ratio.processes < 2:
        return f"how processes differ shows in {_ENOUGH_PROCESSES} fresh ones"
    half = (_log(ratio.high) - _log(ratio.low)) / 2
    goal = abs(abs(_log(ratio.value)) - limit)
    needed = _processes_needed(ratio, half, goal)
    if needed is None and goal > limit / 4:
        return (
            f"the samples scatter too much for a bound of {100 * bound:g} %, in more than {_MOST_PROCESSES} "
            "processes, too: wait for a quieter machine, or take more samples in each process"
        )
    if needed is None:
        return (
            f"the ratio lies too near to the bound of {100 * bound:g} % for any reasonable number of "
            "samples; choose another bound"
        )
    return f"about {needed} processes like these would tell{_or_samples(ratio, half, goal)}"


def _processes_needed(ratio: Ratio, half: float, goal: float) -> int | None:
    """How many would narrow half the interval to the goal were the rest as it is; None for too many."""
    count = ratio.processes
    deviation = half * math.sqrt(count) / student_quantile(ratio.confidence, count - 1)
    for more in range(count + 1, _MOST_PROCESSES + 1):
        if student_quantile(ratio.confidence, more - 1) * deviation / math.sqrt(more) < goal:
            return more
    return None


def _or_samples(ratio: Ratio, half: float, goal: float) -> str:
    """Where the samples within processes are most of the error, how many more of them would do."""
    left = (goal / half) ** 2 - (1 - ratio.from_samples)
    if ratio.from_samples < 0.5 or left <= 0:
        return ""
    times = math.ceil(ratio.from_samples / left)
    return f", or {times} times as many samples in each" if times <= _MOST_PROCESSES else ""


def _log(ratio: float) -> float:
    return math.log(ratio) if ratio > 0 else -math.inf
