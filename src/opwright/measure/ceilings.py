"""What this device can do at most, measured here and now: moving bytes, and multiplying matrices."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

from opwright.devices.device import Device
from opwright.measure.roofline import Ceilings
from opwright.measure.timers import HostTimer, Step, Timer, default_timer, timer_for

_REPEATS = 15
_SECONDS = 0.5  # after which no further repetition is begun
_LEAST_BYTES = 64
_SMALLEST, _LARGEST = 256, 8192  # sides of the matrices
_LONG_US = 20_000  # a product that takes so long is large enough


def measure_ceilings(
    device: Device | None,
    size_bytes: int,
    *,
    flush: Callable[[], object] | None = None,
    dtype: str | None = None,
) -> Ceilings:
    """The ceilings for calls that move ``size_bytes``, after ``flush`` each time, or warm without one.

    ``dtype`` is that of the matrix product; None for calls whose operations nobody counts.
    """
    timer = timer_for(default_timer(device), device)
    copy_gb_s, highest_gb_s = _bandwidths(device, timer, max(size_bytes, _LEAST_BYTES), flush)
    tflop_s, reason = _matmul(device, timer, dtype) if dtype else (None, "")
    return Ceilings(
        copy_gb_s,
        highest_gb_s,
        max(size_bytes, _LEAST_BYTES),
        "cold" if flush else "warm",
        tflop_s,
        dtype or "",
        {"matmul_tflop_s": reason} if reason else {},
    )


def _bandwidths(
    device: Device | None, timer: Timer, size_bytes: int, flush: Callable[[], object] | None
) -> tuple[float, float]:
    """Of a copy that reads half of ``size_bytes`` and writes half, and the highest of all ways."""
    place = device.first if device else torch.device("cpu")
    whole = torch.full((size_bytes // 4,), 1.0, device=place)
    half = len(whole) // 2
    source, target = whole[:half], whole[half : 2 * half]
    copy = _best_us(lambda: target.copy_(source), timer, flush)
    read = _best_us(whole.sum, timer, flush)
    write = _best_us(lambda: whole.fill_(2.0), timer, flush)
    copy_gb_s = 8 * half / copy / 1e3
    return copy_gb_s, max(copy_gb_s, *(4 * len(whole) / us / 1e3 for us in (read, write)))


def _best_us(run: Callable[[], Any], timer: Timer, before: Callable[[], object] | None) -> float:
    """The shortest of several times: what the device can do, not what it does on average."""

    def prepare() -> Callable[[], Any]:
        (before or run)()
        return run

    return max(min(_each_us(prepare, timer, threads) for threads in _thread_counts(timer)), 1e-3)


def _each_us(prepare: Callable[[], Callable[[], Any]], timer: Timer, threads: int) -> float:
    times: list[float] = []
    usual = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        prepare()()
        until = time.monotonic() + _SECONDS
        while len(times) < 3 or (len(times) < _REPEATS and time.monotonic() < until):
            times += timer.times_us([Step(prepare, _dropped)])
    finally:
        torch.set_num_threads(usual)
    return min(times)


def _thread_counts(timer: Timer) -> set[int]:
    """On a host whose processors others use, too, one thread may be quicker than all."""
    usual = torch.get_num_threads()
    return {1, usual} if isinstance(timer, HostTimer) else {usual}


def _matmul(device: Device | None, timer: Timer, dtype: str) -> tuple[float | None, str]:
    """The best of products of growing square matrices, in TFLOP/s; or why there is none."""
    place = device.first if device else torch.device("cpu")
    best, side, took_us = 0.0, _SMALLEST, 0.0
    try:
        with _exact_products():
            while side <= _LARGEST and took_us < _LONG_US:
                # Normal numbers: of zeros a device needs less power, and clocks higher.
                left, right = (torch.randn(side, side, device=place) for _ in range(2))
                left, right = (each.to(getattr(torch, dtype)) for each in (left, right))
                took_us = _best_us(lambda a=left, b=right: a @ b, timer, None)  # type: ignore[misc]
                best = max(best, 2 * side**3 / took_us / 1e6)
                side *= 2
    except (RuntimeError, NotImplementedError) as error:
        text = str(error).partition("\n")[0]
        return best or None, "" if best else f"torch multiplies no matrices of {dtype} here: {text}"
    return best, ""


@contextmanager
def _exact_products() -> Iterator[None]:
    """Inside the block products of float32 are in float32, and not in TF32 or bfloat16."""
    usual = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(usual)


def _dropped(result: object) -> None:
    del result
