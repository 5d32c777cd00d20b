"""The state of the last-level cache before a call: emptied, and shown to be empty, or warm."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import torch

from opwright.devices.device import Device
from opwright.devices.last_level import last_level
from opwright.devices.placement import storage_bytes, view_like
from opwright.inputs.call import Call
from opwright.measure.step import Step
from opwright.measure.timers import TIMERS, default_timer, timer_for

Verdict = Literal["effective", "not effective", "cannot tell"]

_LINE_BYTES = 64
UNKNOWN_BYTES = 128 << 20  # flushed twice over where nobody says how large the last level is
_REPEATS = 31
# The part of the last level that is read to see whether it is cached. A device has to be given enough for
# the difference to show beside the launch; one thread of a host little enough to stay on its processor.
_DEVICE_PART, _HOST_PART = 2, 16
_CONTROL_SIZES = 4  # last levels that the control walks through before it comes back
_CLEAR_RATIO = 1.1  # by which cold must exceed warm for anything to be told
_COLD_ENOUGH = 0.7  # of the way from warm to cold
_MOST_COPIES = 4096


def last_level_cache_bytes(device: Device | None) -> int:
    """The size of the last-level cache of ``device``, or of the host where it is None; 0 if unknown.

    `opwright.devices.last_level.last_level` also says who says so, or why nobody does.
    """
    return last_level(device).size_bytes


class Flush:
    """A callable that puts other data in the place of all that the last level holds.

    It reads and writes a buffer of twice ``last_level_bytes`` (or of a usual size, where that is 0): on a
    device on the current stream, without waiting, on the host once a line and with torch's threads.
    """

    def __init__(self, device: Device | None, last_level_bytes: int) -> None:
        self.last_level_bytes = last_level_bytes
        self.size_bytes = 2 * (last_level_bytes or UNKNOWN_BYTES)
        place = device.first if device else torch.device("cpu")
        # Written, not zeroed: pages that nobody has written to are all one and the same.
        self._buffer = torch.full((self.size_bytes // 8,), 1, dtype=torch.int64, device=place)
        # A device reads whole lines for neighbouring threads, whatever it is asked for.
        self._touched = self._buffer if device else self._buffer[:: _LINE_BYTES // 8]

    def __call__(self) -> None:
        """Evict; on a device this is given to the current stream."""
        self._touched.add_(1)


@dataclass(frozen=True)
class Effect:
    """What a flush was seen to do: how many microseconds it takes to read the same number of bytes.

    Each is the lower quarter of several times, because what disturbs a read only makes it longer.
    ``warm_us``: read before. ``flushed_us``: read before, then flushed. ``cold_us``: not read for many
    times the size of the last level. ``ratio`` is flushed over warm.
    """

    verdict: Verdict
    reason: str
    ratio: float | None = None
    warm_us: float | None = None
    flushed_us: float | None = None
    cold_us: float | None = None
    read_bytes: int = 0


def copies_that_hold(call: Call, total_bytes: int) -> int:
    """How many copies of the call's tensors hold ``total_bytes``: used in turns they are never in the cache.

    That is so if it is twice the last level. Two or more, and of a very small call no more than some
    thousands; `held_bytes` says what it came to.
    """
    size_bytes = held_bytes([call])
    wanted = -(-total_bytes // size_bytes) if size_bytes else 0
    return min(max(wanted, 2), _MOST_COPIES)


def held_bytes(calls: Iterable[Call]) -> int:
    """How much memory the tensors of all calls hold, each storage once."""
    storages = [t.untyped_storage() for call in calls for t in call.tensors.values()]
    return sum({storage.data_ptr(): storage.nbytes() for storage in storages}.values())


def copied(call: Call) -> Call:
    """The same values in memory of their own.

    Whole storages are copied, so that strides, offsets and what tensors share are what they were.
    """
    copies: dict[int, torch.Tensor] = {}
    arguments = dict(call.arguments)
    for name, tensor in call.tensors.items():
        place = tensor.untyped_storage().data_ptr()
        if place not in copies:
            copies[place] = storage_bytes(tensor).clone()
        arguments[name] = view_like(copies[place], tensor)
    return Call(call.spec, arguments)


def flush_is_effective(flush: Callable[[], object], device: Device | None) -> Effect:
    """Time a read that fits the last level when warm, after ``flush``, and when certainly cold."""
    kind = device.kind if device else "cpu"
    if kind not in TIMERS[default_timer(device)]:
        return Effect("cannot tell", f"nothing times {kind} devices")
    level = last_level(device)
    if not level.size_bytes:
        return Effect("cannot tell", f"the size of the last level is not known: {level.reason}")
    threads = torch.get_num_threads()
    torch.set_num_threads(threads if device else 1)
    try:
        return _compared(*_times_us(flush, device, level.size_bytes, threads))
    finally:
        torch.set_num_threads(threads)


def _times_us(
    flush: Callable[[], object], device: Device | None, size_bytes: int, threads: int
) -> tuple[list[float], list[float], list[float], int]:
    """Times of a read that is warm, flushed, and cold, in turns; and how many bytes it is."""
    part = _DEVICE_PART if device else _HOST_PART
    place = device.first if device else torch.device("cpu")
    read_bytes = max(size_bytes // part, 4)
    many = torch.full((1 + _CONTROL_SIZES * part, read_bytes // 4), 1.0, device=place)
    probe, control = many[0], many[1:]
    timer = timer_for(default_timer(device), device)

    def read(prepare: Callable[[], object], what: torch.Tensor) -> float:
        def prepared() -> Callable[[], Any]:
            prepare()
            return what.sum

        return timer.times_us([Step(prepared, _dropped)])[0]

    def flushed() -> None:
        probe.sum()
        torch.set_num_threads(threads)  # a flush has the threads that it has elsewhere
        flush()
        torch.set_num_threads(threads if device else 1)

    # Once through the control: it has only just been written.
    control.sum()
    warm_us, flushed_us, cold_us = [], [], []
    for turn in range(_REPEATS):
        warm_us.append(read(probe.sum, probe))
        flushed_us.append(read(flushed, probe))
        cold_us.append(read(_nothing, control[turn % len(control)]))
    return warm_us, flushed_us, cold_us, read_bytes


def _nothing() -> None:
    return None


def _dropped(result: object) -> None:
    del result


def _compared(
    warm: list[float], flushed: list[float], cold: list[float], read_bytes: int
) -> Effect:
    """What the three kinds of times say; a pure function of them."""
    warm_us, flushed_us, cold_us = (_quarters(times)[0] for times in (warm, flushed, cold))
    ratio = flushed_us / warm_us if warm_us else None
    told = f"warm {warm_us:.1f} µs, flushed {flushed_us:.1f} µs, cold {cold_us:.1f} µs"
    verdict: Verdict
    if cold_us < _CLEAR_RATIO * warm_us or cold_us <= _quarters(warm)[2]:
        verdict, why = (
            "cannot tell",
            "reads that are cold do not take clearly longer than warm ones",
        )
    elif flushed_us - warm_us >= _COLD_ENOUGH * (cold_us - warm_us):
        verdict, why = "effective", "what was read before a flush is read as slowly as what is cold"
    else:
        verdict, why = (
            "not effective",
            "what was read before a flush is still cached, at least in part",
        )
    return Effect(verdict, f"{why}: {told}", ratio, warm_us, flushed_us, cold_us, read_bytes)


def _quarters(times: list[float]) -> list[float]:
    return statistics.quantiles(times, n=4)
