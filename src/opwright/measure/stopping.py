"""When the warm-up is over, and when there are enough samples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from opwright.measure.statistics import median, median_interval

_FEWEST_WARM = 24
_LONGEST_WINDOW = 100
_SETTLED = 0.01  # a warm-up that still gains less is over


@dataclass(frozen=True)
class Limits:
    """When to stop: the interval's half width relative to the median, and what may be spent at most.

    ``seconds`` ends the sampling even before there are ``min_samples``.
    """

    precision: float = 0.01
    seconds: float = 2.0
    min_samples: int = 30
    max_samples: int = 10_000


def is_warm(times_us: Sequence[float]) -> bool:
    """Whether the newest quarter of the calls is no faster than the quarter before it.

    Not by more than 1 %, or than such medians scatter by. Quarters grow with the warm-up, so
    that a slow one is seen as well as a quick one; only getting faster is warming up. At most the newest
    200 calls are looked at, so this may be asked after each of them.
    """
    if len(times_us) < _FEWEST_WARM:
        return False
    size = min(len(times_us) // 4, _LONGEST_WINDOW)
    earlier, newest = median(times_us[-2 * size : -size]), median(times_us[-size:])
    # From call to call, so that a trend is not taken for noise: the median step is 0.95 deviations of a
    # normal distribution, and two medians of n differ by 1.77 / √n of one.
    step = median([abs(b - a) for a, b in pairwise(times_us[-2 * size :])])
    return earlier - newest <= max(_SETTLED * newest, 1.86 * step / math.sqrt(size))


def why_stop(times_us: Sequence[float], seconds_spent: float, limits: Limits) -> str | None:
    """Why no more samples are needed or allowed; None when there should be more.

    The interval is that of `median_interval` at 99 %. It costs a sort, n log n: ask when there are 1.25
    times as many samples as when last asked, which costs no more than a few sorts in all, and gives
    chance few looks at which to be narrow.
    """
    if len(times_us) >= limits.min_samples:
        interval = median_interval(times_us)
        if interval.high - interval.low <= 2 * limits.precision * median(times_us):
            return f"interval of the median is within {100 * limits.precision:g} %"
    if len(times_us) >= limits.max_samples:
        return "sample limit"
    return "time limit" if seconds_spent >= limits.seconds else None
