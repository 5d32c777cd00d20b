"""What two events take themselves is found from two delays, and is no time of a call's."""

from __future__ import annotations

from typing import Any

import pytest

from opwright.measure.event_overhead import event_overhead_us, overhead_of
from opwright.measure.step import Step
from opwright.measure.timers import EventTimer


class Clocked:
    """A device that does all in order, and takes ``overhead_us`` for each kernel beside its length."""

    kind = "cuda"

    def __init__(self, overhead_us: float) -> None:
        self.overhead_us = overhead_us
        self.now_us = 0.0

    def delay(self, milliseconds: float) -> None:
        self.now_us += self.overhead_us + milliseconds * 1e3

    def timed_event(self) -> Any:
        return Event(self.now_us)

    def synchronize(self) -> None:
        return None


class Event:
    def __init__(self, at_us: float) -> None:
        self.at_us = at_us

    def query(self) -> bool:
        return False

    def elapsed_time(self, other: Event) -> float:
        return (other.at_us - self.at_us) / 1e3


def test_what_two_delays_have_in_common_is_the_overhead() -> None:
    assert overhead_of(24.0, 44.0) == 4.0
    assert overhead_of(20.0, 41.0) == 0.0


@pytest.mark.parametrize("overhead_us", [0.0, 4.1])
def test_the_overhead_of_a_device_is_found(overhead_us: float) -> None:
    assert event_overhead_us(Clocked(overhead_us)) == pytest.approx(overhead_us, abs=1e-9)  # type: ignore[arg-type]


@pytest.mark.parametrize(("length_ms", "seen_us"), [(0.003, 3.0), (2.0, 2000.0), (0.0, 0.1)])
def test_events_tell_the_length_of_a_kernel_alone(length_ms: float, seen_us: float) -> None:
    device = Clocked(4.1)
    step = Step(lambda: lambda: device.delay(length_ms), lambda result: None)
    assert EventTimer(device).times_us([step]) == [pytest.approx(seen_us)]  # type: ignore[arg-type]
