"""What this device can do at most, measured here and now: moving bytes, and multiplying matrices."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch

from opwright.devices.device import Device
from opwright.devices.last_level import last_level
from opwright.measure.roofline import Ceilings
from opwright.measure.step import Step
from opwright.measure.timers import HostTimer, default_timer, timer_for

_REPEATS = 15
_SECONDS = 0.3  # after which no further repetition is begun
_LEAST_BYTES = 64
_INNER_BYTES = 1 << 20  # fits a processor's own caches, or nearly
_USUAL_LEVEL_BYTES = 32 << 20  # where the last level's size is not known
_SMALLEST, _LARGEST = 256, 8192  # sides of the matrices
_LONG_US = 10_000  # a product that takes so long is large enough


@dataclass(frozen=True)
class _Bandwidth:
    """Gigabytes a second of a copy, and of the best of copying, reading and writing."""

    copy_gb_s: float
    highest_gb_s: float


class CeilingMeter:
    """Measures ceilings of one device, each once; ``flush`` sets the state of the cache before each sample.

    Without a flush the memory has just been used. Raises `UsageError` for a device that nothing times.
    """

    def __init__(self, device: Device | None, flush: Callable[[], object] | None = None) -> None:
        self._flush = flush
        self._place = device.first if device else torch.device("cpu")
        self._timer = timer_for(default_timer(device), device)
        self._level_bytes = last_level(device).size_bytes or _USUAL_LEVEL_BYTES
        self._bandwidths: dict[int, _Bandwidth] = {}
        self._products: dict[str, tuple[float | None, str]] = {}

    def ceilings(self, size_bytes: int, dtype: str | None = None) -> Ceilings:
        """Those of calls that move ``size_bytes``, and with a ``dtype`` of products of matrices of it.

        A small call is compared with a small copy; but the highest is that of all sizes that were measured,
        large ones among them: the times of small ones are mostly what a call costs whatever it moves.
        """
        own = self._bandwidth(max(size_bytes, _LEAST_BYTES))
        for large_bytes in (_INNER_BYTES, self._level_bytes // 2, 4 * self._level_bytes):
            self._bandwidth(large_bytes)
        tflop_s, reason = self._product(dtype) if dtype else (None, "")
        return Ceilings(
            copy_gb_s=own.copy_gb_s,
            highest_gb_s=max(each.highest_gb_s for each in self._bandwidths.values()),
            size_bytes=size_bytes,
            cache="cold" if self._flush else "warm",
            matmul_tflop_s=tflop_s,
            dtype=dtype or "",
            not_measured={"matmul_tflop_s": reason} if reason else {},
        )

    def _bandwidth(self, size_bytes: int) -> _Bandwidth:
        """The copy reads half of ``size_bytes`` and writes half."""
        if size_bytes not in self._bandwidths:
            whole = torch.full((size_bytes // 4,), 1.0, device=self._place)
            half = len(whole) // 2
            source, target = whole[:half], whole[half : 2 * half]
            copy_gb_s = 8 * half / self._best_us(lambda: target.copy_(source)) / 1e3
            others = [4 * len(whole) / self._best_us(f) / 1e3 for f in (whole.sum, whole.zero_)]
            self._bandwidths[size_bytes] = _Bandwidth(copy_gb_s, max(copy_gb_s, *others))
        return self._bandwidths[size_bytes]

    def _best_us(self, run: Callable[[], Any]) -> float:
        """The shortest of several times: what the device can do, not what it does on average."""

        def prepare() -> Callable[[], Any]:
            (self._flush or run)()
            return run

        return self._shortest_us(prepare)

    def _shortest_us(self, prepare: Callable[[], Callable[[], Any]]) -> float:
        usual = torch.get_num_threads()
        # On a host whose processors others use, too, one thread may be quicker than all of them.
        counts = {1, usual} if isinstance(self._timer, HostTimer) else {usual}
        times: list[float] = []
        try:
            for count in counts:
                torch.set_num_threads(count)
                prepare()()
                times += self._times_us(prepare)
        finally:
            torch.set_num_threads(usual)
        return max(min(times), 1e-3)

    def _times_us(self, prepare: Callable[[], Callable[[], Any]]) -> list[float]:
        times: list[float] = []
        until = time.monotonic() + _SECONDS
        while len(times) < 3 or (len(times) < _REPEATS and time.monotonic() < until):
            times += self._timer.times_us([Step(prepare, _dropped)])
        return times

    def _product(self, dtype: str) -> tuple[float | None, str]:
        """The best of products of growing square matrices, in TFLOP/s; or why there is none."""
        if dtype not in self._products:
            best, reason = 0.0, ""
            try:
                for tflop_s in self._growing_products(getattr(torch, dtype)):
                    best = max(best, tflop_s)
            except (
                RuntimeError,
                NotImplementedError,
            ) as error:  # torch's own, for lack of a kernel or memory
                text = str(error).partition("\n")[0]
                reason = f"torch multiplies no matrices of {dtype} here: {text}"
            self._products[dtype] = (best, "") if best else (None, reason)
        return self._products[dtype]

    def _growing_products(self, dtype: torch.dtype) -> Iterator[float]:
        side, took_us = _SMALLEST, 0.0
        while side <= _LARGEST and took_us < _LONG_US:
            # Of zeros a device needs less power than of numbers, and its clocks are higher.
            drawn = [torch.randn(side, side, device=self._place) for _ in range(2)]
            left, right = (each.to(dtype) for each in drawn)
            with _exact_products():
                took_us = self._shortest_us(lambda a=left, b=right: lambda: a @ b)  # type: ignore[misc]
            yield 2 * side**3 / took_us / 1e6
            side *= 2


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
