"""The profiler as a clock: how long the kernels of each call ran, and which these were."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from opwright.devices.device import Device
from opwright.errors import DeviceError
from opwright.measure.step import Step

_RANGE = "opwright.sample."
_NO_KERNELS = ("Memcpy", "Memset")


@dataclass(frozen=True)
class Kernels:
    """What one call had the device do: names, streams, and the sum of the durations in microseconds."""

    names: tuple[str, ...]
    streams: tuple[int, ...]
    time_us: float


class ProfilerTimer:
    """The sum of the durations of all that a call launched, copies and fills included."""

    meaning = "device clock, durations of the call's kernels as the profiler records them"
    rounds = 10  # to start and to stop it takes longer than most calls

    def __init__(self, device: Device) -> None:
        self.late = 0
        self._device = device

    def times_us(self, steps: Sequence[Step]) -> list[float]:
        """See `Timer`; ``late`` counts calls without a kernel. Raises `DeviceError` where none has one."""
        found = self._profiled(steps)
        if not any(each.names for each in found):
            raise DeviceError(
                "the profiler records no kernels on this device",
                hint="Another program may hold the device's counters; use --timer events.",
            )
        self.late += sum(not each.names for each in found)
        return [each.time_us for each in found]

    def _profiled(self, steps: Sequence[Step]) -> list[Kernels]:
        kinds = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
        with torch.profiler.profile(activities=kinds, acc_events=True) as profile:
            for number, step in enumerate(steps):
                call = step.prepare()
                self._device.synchronize()
                with torch.profiler.record_function(f"{_RANGE}{number}"):
                    result = call()
                self._device.synchronize()
                step.after(result)
        results = profile.profiler.kineto_results if profile.profiler else None
        return list(kernels_of(results.events() if results else [], len(steps)))


def kernels_of(events: Sequence[Any], count: int) -> Iterator[Kernels]:
    """What was launched inside each of ``count`` ranges: a kernel carries the number of its launch.

    PyTorch numbers its own operators and ranges, too, from a count of its own. Those are linked to nothing,
    where kernels and launches are linked to the operator that they belong to.
    """
    on_host = [event for event in events if "CPU" in str(event.device_type())]
    ranges = {e.name(): e for e in on_host if e.name().startswith(_RANGE)}
    linked = [event for event in events if event.linked_correlation_id()]
    on_device = [event for event in linked if "CUDA" in str(event.device_type())]
    launched_ns = {
        e.correlation_id(): e.start_ns() for e in linked if "CPU" in str(e.device_type())
    }
    for number in range(count):
        around = ranges.get(f"{_RANGE}{number}")
        if around is None:
            yield Kernels((), (), 0.0)
            continue
        begin, end = around.start_ns(), around.start_ns() + around.duration_ns()
        own = [
            event
            for event in on_device
            if begin <= launched_ns.get(event.correlation_id(), -1) <= end
        ]
        yield Kernels(
            tuple(e.name() for e in own if not e.name().startswith(_NO_KERNELS)),
            tuple(int(e.device_resource_id()) for e in own),
            sum(e.duration_ns() for e in own) / 1e3,
        )
