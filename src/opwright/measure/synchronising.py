"""The four ways to put a clock around a call, and what each of them really measures."""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple, TypeAlias

import torch

from opwright.devices.activity import kernel_name
from opwright.devices.device import Device
from opwright.measure.step import Step
from opwright.measure.timers import EventTimer
from opwright.records.timing import Combination, Span

EARLIER_MS = 2.0  # of work that the device has from before, as in a program
_SAMPLES = 21
_DELAY_KERNEL = "at::cuda::spin_kernel"
_CLOCK, _ISSUE = "opwright.clock", "opwright.issue"

_ON_HOST = "the call: on a CPU it has ended when it returns"
# (waits before, waits after) -> what the clock then shows
MEASURED = {
    (False, False): "issue time: the device is still at earlier work",
    (True, False): "issue time: the device has only begun",
    (False, True): "earlier work and the call",
    (True, True): "the call, from its issue to its end",
}


Ranges: TypeAlias = Callable[[str], AbstractContextManager[Any]]


class Marks(NamedTuple):
    """One sample, in nanoseconds of the host's clock, and events around work and call on the stream.

    ``origin`` is when the host has seen the first event pass: there both clocks are put together, to some
    tens of microseconds.
    """

    origin: int
    begin: int
    issued: int
    end: int
    events: tuple[Any, ...] = ()


def four_ways(call: Callable[[], Any], device: Device | None) -> tuple[Combination, ...]:
    """Time ``call`` in all four ways, on a device beside `EARLIER_MS` of earlier work on its stream.

    The call has been run before. Spans come from the profiler where it sees the device, else from events.
    """
    return tuple(
        _combination(call, device, before, after)
        for before, after in itertools.product((False, True), repeat=2)
    )


def device_time_us(call: Callable[[], Any], device: Device) -> float:
    """The median time of the call on the device itself, as `EventTimer` takes it."""
    step = Step(lambda: call, lambda result: None)  # noqa: ARG005 -- nobody looks at it
    return statistics.median(EventTimer(device).times_us([step] * _SAMPLES))


def sees_device(device: Device | None) -> bool:
    """Whether the profiler records what this device does."""
    return device is not None and device.kind == "cuda"


def _combination(
    call: Callable[[], Any], device: Device | None, before: bool, after: bool
) -> Combination:
    def sample(ranges: Ranges = _no_range) -> Marks:
        return _on_device(call, device, before, after, ranges) if device else _on_host(call)

    marks = [sample() for _ in range(_SAMPLES)]
    measured = MEASURED[before, after] if device else _ON_HOST
    spans = _profiled(sample) if sees_device(device) else list(_spans(marks[-1]))
    clock = next(span for span in spans if span.name == "clock")
    return Combination(
        before,
        after,
        measured,
        tuple((each.end - each.begin) / 1e3 for each in marks),
        (clock.begin_us, clock.end_us),
        tuple(span for span in spans if span is not clock),
    )


def _on_host(call: Callable[[], Any]) -> Marks:
    begin = time.perf_counter_ns()
    call()
    end = time.perf_counter_ns()
    return Marks(begin, begin, end, end)


def _on_device(
    call: Callable[[], Any], device: Device, before: bool, after: bool, ranges: Ranges
) -> Marks:
    first = device.timed_event()
    device.synchronize()
    origin = time.perf_counter_ns()
    device.delay(EARLIER_MS)
    worked = device.timed_event()
    if before:
        device.synchronize()
    with ranges(_CLOCK):
        begin = time.perf_counter_ns()
        with ranges(_ISSUE):
            call()
        issued = time.perf_counter_ns()
        done = device.timed_event()
        if after:
            device.synchronize()
        end = time.perf_counter_ns()
    device.synchronize()
    return Marks(origin, begin, issued, end, (first, worked, done))


def _no_range(name: str) -> AbstractContextManager[Any]:
    """Nothing: a range costs time, and only the profiler has use for it."""
    del name
    return nullcontext()


def _spans(marks: Marks) -> Iterator[Span]:
    """What lay on each lane, by the host's clock and the stream's events."""

    def since(at_ns: int) -> float:
        return (at_ns - marks.origin) / 1e3

    yield Span("host", "clock", since(marks.begin), since(marks.end))
    yield Span("host", "issue", since(marks.begin), since(marks.issued))
    if marks.events:
        first, worked, done = marks.events
        worked_us = float(first.elapsed_time(worked)) * 1e3
        yield Span("stream", "earlier work", 0.0, worked_us)
        yield Span("stream", "call", worked_us, float(first.elapsed_time(done)) * 1e3)


def _profiled(sample: Callable[[Ranges], Marks]) -> list[Span]:
    """The lanes of one more sample, as the profiler saw them."""
    kinds = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=kinds, acc_events=True) as profile:
        sample(torch.profiler.record_function)
    results = profile.profiler.kineto_results if profile.profiler else None
    return list(spans_of(results.events() if results else []))


def spans_of(events: list[Any]) -> Iterator[Span]:
    """Lanes from the profiler's events: the host's two ranges, and every kernel, since the first of them."""
    ranges = {e.name(): e for e in events if "CPU" in str(e.device_type())}
    kernels = [
        e for e in events if "CUDA" in str(e.device_type()) and not e.name().startswith("opwright.")
    ]
    shown = [*kernels, ranges[_CLOCK], ranges[_ISSUE]]
    origin_ns = min(event.start_ns() for event in shown)

    def span(lane: str, name: str, event: Any) -> Span:
        begin_us = (event.start_ns() - origin_ns) / 1e3
        return Span(lane, name, begin_us, begin_us + event.duration_ns() / 1e3)

    yield span("host", "clock", ranges[_CLOCK])
    yield span("host", "issue", ranges[_ISSUE])
    for event in sorted(kernels, key=lambda e: e.start_ns()):
        name = kernel_name(event.name())
        yield span("stream", "earlier work" if name == _DELAY_KERNEL else name, event)
