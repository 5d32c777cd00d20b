"""What two events on a stream take beside the kernel that stands between them."""

from __future__ import annotations

import statistics

from opwright.devices.device import Device

_HEAD_START_MS = 0.2
_DELAY_MS = 0.02
_REPEATS = 15


def event_overhead_us(device: Device) -> float:
    """Microseconds between two events around a kernel of no length: what starting and ending one takes.

    Measured by the device's own delays. 0 on the simulated device, whose events stand at the ends of its work.
    """
    if device.kind == "simulated":
        return 0.0
    intervals = [
        (_interval_us(device, _DELAY_MS), _interval_us(device, 2 * _DELAY_MS))
        for _ in range(_REPEATS)
    ]
    shorter, longer = (statistics.median(times) for times in zip(*intervals, strict=True))
    return overhead_of(shorter, longer)


def overhead_of(shorter_us: float, longer_us: float) -> float:
    """What two intervals have in common of which one has twice the other's delay; never below 0."""
    return max(2 * shorter_us - longer_us, 0.0)


def _interval_us(device: Device, milliseconds: float) -> float:
    device.delay(_HEAD_START_MS)
    first = device.timed_event()
    device.delay(milliseconds)
    last = device.timed_event()
    device.synchronize()
    return float(first.elapsed_time(last)) * 1e3
