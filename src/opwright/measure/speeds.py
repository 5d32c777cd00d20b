"""Two speeds in one series: a clock that switches, or a neighbour that comes and goes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch

_FEWEST = 40
_LEAST_GAP = 0.05
_SMALLEST_SHARE = 0.1
_DEVIATIONS_APART = 4.0
_TICKS_APART = 3
_LEAST_VALLEY = 0.4  # of the distance: 0.2 for samples that are spread evenly


@dataclass(frozen=True)
class TwoSpeeds:
    """The medians in microseconds of two groups of samples, and the share of the slower one."""

    fast_us: float
    slow_us: float
    share: float


def speeds_of(times_us: Sequence[float]) -> TwoSpeeds | None:
    """The two speeds of a series that has them, each for a tenth of the samples or more.

    The cut is where the variance between both sides is greatest (Otsu, IEEE Transactions on Systems, Man
    and Cybernetics 9, 1979), with spikes pulled in. The groups' distance must be four times their spread
    (after Ashman, Bird and Zepf, Astronomical Journal 108, 1994; cutting one normal group in two gives
    2.7), 5 % of the time, and more than ticks of the clock.
    """
    if len(times_us) < _FEWEST:
        return None
    ordered = torch.tensor(sorted(times_us), dtype=torch.float64).clamp_(min=1e-3)
    count = ordered.numel()
    logs = ordered.log()
    pulled = logs.clamp(float(logs[count // 20]), float(logs[count - 1 - count // 20]))
    below = torch.arange(1, count, dtype=torch.float64)
    sums = pulled.cumsum(0)
    apart = sums[:-1] / below - (sums[-1] - sums[:-1]) / (count - below)
    variance = below * (count - below) * apart**2
    fewest = math.ceil(_SMALLEST_SHARE * count)
    cut = int(variance[fewest - 1 : count - fewest].argmax()) + fewest
    fast, slow = logs[:cut], logs[cut:]
    gap = float(slow.median() - fast.median())
    spread = math.sqrt((_deviation(fast) ** 2 + _deviation(slow) ** 2) / 2)
    steps = ordered.diff()
    tick = float(steps[steps > 0].min()) if bool((steps > 0).any()) else 0.0
    fast_us, slow_us = float(ordered[:cut].median()), float(ordered[cut:].median())
    # Spikes in the tail of one speed are no second one: most of both groups lie on their own side.
    between = float(slow.quantile(0.1) - fast.quantile(0.9))
    if (
        gap < max(_DEVIATIONS_APART * spread, math.log1p(_LEAST_GAP))
        or between < _LEAST_VALLEY * gap
    ):
        return None
    if slow_us - fast_us < _TICKS_APART * tick:
        return None
    return TwoSpeeds(fast_us, slow_us, (count - cut) / count)


def _deviation(logs: torch.Tensor) -> float:
    """The standard deviation of the middle of the group, where spikes are not."""
    return 1.4826 * float((logs - logs.median()).abs().median())
