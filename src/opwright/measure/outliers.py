"""Samples that lie far off the rest. They are counted and shown, and every one of them stays."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

_FEWEST = 8
# Of a normal distribution 3 in a million lie beyond: 0.67 (1 + 6) deviations.
_HALF_SPREADS = 6.0
_LEAST_SPREAD = 1e-3  # of the median: clocks tick, and whole series may lie on one tick


def far_off(times_us: Sequence[float]) -> tuple[int, ...]:
    """The places of samples beyond the outer fences, in order; none for less than 8 samples.

    Times are skew, so each side has its own measure, the distance from the median to the quartile on that
    side (Kimber, Exploratory Data Analysis for Possibly Censored Data from Skewed Distributions, Applied
    Statistics 39, 1990), taken twice as far as usual: Tukey's "far out".
    """
    if len(times_us) < _FEWEST:
        return ()
    lower, middle, upper = statistics.quantiles(times_us, n=4, method="inclusive")
    least = _LEAST_SPREAD * middle
    low = lower - _HALF_SPREADS * max(middle - lower, least)
    high = upper + _HALF_SPREADS * max(upper - middle, least)
    return tuple(place for place, time in enumerate(times_us) if not low <= time <= high)
