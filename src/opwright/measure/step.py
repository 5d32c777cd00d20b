"""What all timers take and give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol


class Step(NamedTuple):
    """One sample: ``prepare`` makes the call, off the clock; ``after`` gets what the call returned."""

    prepare: Callable[[], Callable[[], Any]]
    after: Callable[[Any], object]


class Timer(Protocol):
    """A way to time calls. ``late`` counts the samples that it does not vouch for.

    ``rounds`` says how many rounds of samples are best timed together.
    """

    meaning: str
    rounds: int
    late: int

    def times_us(self, steps: Sequence[Step]) -> list[float]:
        """Microseconds of each step's call, in order."""
