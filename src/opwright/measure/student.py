"""Student's t, which neither torch nor the standard library can invert."""

from __future__ import annotations

import math
from functools import lru_cache

_PANELS = 128
_MOST_FREEDOM = 1e4  # beyond, it is the normal distribution to four digits


@lru_cache(maxsize=256)
def student_quantile(confidence: float, freedom: float) -> float:
    """The t for which a share ``confidence`` of Student's distribution lies within ±t.

    ``freedom`` degrees need not be whole, and are at least 1. With t = √freedom · tan θ the density is
    cos^(freedom-1) θ (Abramowitz and Stegun, 26.7.3 and 26.7.4), which Simpson's rule integrates.
    """
    freedom = min(freedom, _MOST_FREEDOM)
    whole = math.exp(math.lgamma(freedom / 2) - math.lgamma((freedom + 1) / 2))
    goal = confidence * whole * math.sqrt(math.pi) / 2
    low, high = 0.0, math.pi / 2
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if _area(middle, freedom - 1) < goal else (low, middle)
    return math.sqrt(freedom) * math.tan(low)


def _area(angle: float, power: float) -> float:
    step = angle / _PANELS
    heights = [math.pow(math.cos(step * panel), power) for panel in range(_PANELS + 1)]
    inner = 4 * sum(heights[1:-1:2]) + 2 * sum(heights[2:-1:2])
    return (heights[0] + inner + heights[-1]) * step / 3
