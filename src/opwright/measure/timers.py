"""What a clock sees of one call: host time, issue time, or the device's own events."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property

from opwright.devices.device import Device
from opwright.errors import UsageError
from opwright.measure.event_overhead import event_overhead_us
from opwright.measure.profiled import ProfilerTimer
from opwright.measure.step import Step, Timer

# How long a device is kept busy before a call, so that it is not idle between the two events: at first, and
# at most, where issuing takes longer than that.
_HEAD_START_MS, _LONGEST_HEAD_START_MS = 0.2, 20.0

# No more than this can be told by events: a call that launches nothing takes less.
_LEAST_EVENTS_US = 0.1

# Name -> the kinds of device that it times. On the host `issue` would be `host` by another name.
TIMERS: dict[str, tuple[str, ...]] = {
    "host": ("cpu", "cuda"),
    "issue": ("cuda",),
    "events": ("cuda",),
    "profiler": ("cuda",),
    "graph": ("cuda",),
}


class HostTimer:
    """From the call until everything that it gave to the device is done."""

    meaning = "host clock, from the call until the device has finished"
    rounds = 1

    def __init__(self, device: Device | None) -> None:
        self.late = 0
        self._wait: Callable[[], object] = device.synchronize if device else _nothing

    def times_us(self, steps: Sequence[Step]) -> list[float]:
        """See `Timer`; synchronises before and after each call."""
        return [self._time_us(step) for step in steps]

    def _time_us(self, step: Step) -> float:
        call, wait = step.prepare(), self._wait
        wait()
        started = time.perf_counter_ns()
        result = call()
        wait()
        ended = time.perf_counter_ns()
        step.after(result)
        return (ended - started) / 1e3


class IssueTimer:
    """From the call until it returns: the device may not even have begun."""

    meaning = "host clock, until the call returns; the device may still be at work"
    rounds = 1

    def __init__(self, device: Device) -> None:
        self.late = 0
        self._wait = device.synchronize

    def times_us(self, steps: Sequence[Step]) -> list[float]:
        """See `Timer`; synchronises before each call only."""
        return [self._time_us(step) for step in steps]

    def _time_us(self, step: Step) -> float:
        call = step.prepare()
        self._wait()
        started = time.perf_counter_ns()
        result = call()
        ended = time.perf_counter_ns()
        self._wait()
        step.after(result)
        return (ended - started) / 1e3


class EventTimer:
    """Between two events on the current stream, which is kept busy until both are issued.

    An idle device would count the time of issuing as its own. ``late`` counts the samples in which the
    device had come to the first event before the second was issued; it gets twice as long from then on.
    What two events take around a kernel of no length is no time of the call's.
    """

    meaning = "device clock, between two events around the call on its stream, less what they take themselves"
    rounds = 1

    def __init__(self, device: Device) -> None:
        self.late = 0
        self._device = device
        self._head_start_ms = _HEAD_START_MS

    @cached_property
    def overhead_us(self) -> float:
        """See `event_overhead_us`; measured at the first use."""
        return event_overhead_us(self._device)

    def times_us(self, steps: Sequence[Step]) -> list[float]:
        """See `Timer`; waits for each call before the next is prepared."""
        return [max(self._interval_us(step) - self.overhead_us, _LEAST_EVENTS_US) for step in steps]

    def _interval_us(self, step: Step) -> float:
        call = step.prepare()
        self._device.delay(self._head_start_ms)
        first = self._device.timed_event()
        result = call()
        last = self._device.timed_event()
        if first.query():
            self.late += 1
            self._head_start_ms = min(2 * self._head_start_ms, _LONGEST_HEAD_START_MS)
        self._device.synchronize()
        step.after(result)
        return float(first.elapsed_time(last)) * 1e3


def default_timer(device: Device | None) -> str:
    """Events where there is a device, else the host's clock."""
    return "events" if device else "host"


def require_timer(name: str, kind: str) -> None:
    """Raise `UsageError` where ``name`` times nothing on devices of this kind (``cpu``, ``cuda``)."""
    if kind not in TIMERS[name]:
        usable = ", ".join(each for each, kinds in TIMERS.items() if kind in kinds)
        raise UsageError(
            f"the timer {name!r} is not for {kind}", hint=f"Use one of these: {usable}."
        )


def timer_for(name: str, device: Device | None) -> Timer:
    """The timer of this name; a replayed graph is timed by events. Raises as `require_timer`."""
    require_timer(name, device.kind if device else "cpu")
    if device is None or name == "host":
        return HostTimer(device)
    if name == "issue":
        return IssueTimer(device)
    if name == "profiler":
        return ProfilerTimer(device)
    return EventTimer(device)


@contextmanager
def without_collection() -> Iterator[None]:
    """Inside the block Python collects no garbage: it would do so within somebody's sample."""
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _nothing() -> None:
    return None
