"""Ceilings are measured once each, in the state of the cache that was asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
import torch

from opwright.devices.device import Device
from opwright.devices.last_level import LastLevel
from opwright.measure import ceilings as subject
from opwright.measure.cache import Flush, last_level_cache_bytes
from opwright.measure.ceilings import CeilingMeter
from opwright.measure.step import Step

LEVEL_BYTES = 1 << 16


class MadeUpTimer:
    """Runs every step, and says that each took as long as it is told."""

    meaning, rounds = "made up", 1

    def __init__(self, time_us: Callable[[], float]) -> None:
        self.time_us = time_us
        self.late = self.timed = 0

    def times_us(self, steps: Sequence[Step]) -> list[float]:
        for step in steps:
            step.after(step.prepare()())
        self.timed += len(steps)
        return [self.time_us() for _ in steps]


@pytest.fixture
def timer(monkeypatch: pytest.MonkeyPatch) -> MadeUpTimer:
    """1000 µs for whatever is timed, on a host with a small cache."""
    made = MadeUpTimer(lambda: 1000.0)
    monkeypatch.setattr(subject, "timer_for", lambda *_: made)
    monkeypatch.setattr(subject, "last_level", lambda _: LastLevel(LEVEL_BYTES, "made up"))
    monkeypatch.setattr(subject, "_LARGEST", 512)
    return made


def test_this_host_moves_bytes_and_multiplies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "last_level", lambda _: LastLevel(LEVEL_BYTES, "made up"))
    monkeypatch.setattr(subject, "_LARGEST", 256)
    threads = torch.get_num_threads()
    found = CeilingMeter(None).ceilings(1 << 16, "float32")
    assert torch.get_num_threads() == threads
    assert 0 < found.copy_gb_s <= found.highest_gb_s
    assert found.matmul_tflop_s
    assert (found.cache, found.size_bytes, found.dtype) == ("warm", 1 << 16, "float32")
    assert found.not_measured == {}


def test_bytes_read_and_bytes_written_both_count(timer: MadeUpTimer) -> None:
    assert CeilingMeter(None).ceilings(8_000_000).copy_gb_s == 8.0


def test_the_highest_is_that_of_large_sizes_too(timer: MadeUpTimer) -> None:
    found = CeilingMeter(None).ceilings(4096)
    assert found.copy_gb_s == 4096 / 1e6
    assert found.highest_gb_s == (1 << 20) / 1e6, "the largest that took the same time"


def test_a_product_counts_two_operations_for_each_of_its_terms(timer: MadeUpTimer) -> None:
    found = CeilingMeter(None).ceilings(4096, "float32")
    assert found.matmul_tflop_s == 2 * 512**3 / 1e9


def test_the_best_of_several_times_is_the_ceiling(timer: MadeUpTimer) -> None:
    times = iter([3000.0, 500.0] * 10_000)
    timer.time_us = lambda: next(times)
    assert CeilingMeter(None).ceilings(8_000_000).copy_gb_s == 16.0


def test_the_cache_is_flushed_before_every_sample(timer: MadeUpTimer) -> None:
    flushes = 0

    def flush() -> None:
        nonlocal flushes
        flushes += 1

    found = CeilingMeter(None, flush).ceilings(4096)
    assert found.cache == "cold"
    assert flushes >= timer.timed > 0


def test_each_ceiling_is_measured_once(timer: MadeUpTimer) -> None:
    meter = CeilingMeter(None)
    first = meter.ceilings(4096, "float32")
    timed = timer.timed
    assert meter.ceilings(4096, "float32") == first
    assert timer.timed == timed


def test_without_operations_nothing_is_multiplied(timer: MadeUpTimer) -> None:
    found = CeilingMeter(None).ceilings(4096)
    assert (found.matmul_tflop_s, found.not_measured) == (None, {})


def test_what_torch_cannot_multiply_has_a_reason(timer: MadeUpTimer) -> None:
    found = CeilingMeter(None).ceilings(4096, "bool")
    assert found.matmul_tflop_s is None
    assert "no matrices of bool" in found.not_measured["matmul_tflop_s"]


def test_products_of_float32_are_in_float32_and_the_setting_is_put_back(
    monkeypatch: pytest.MonkeyPatch, timer: MadeUpTimer
) -> None:
    seen = set()

    def look() -> float:
        seen.add(torch.get_float32_matmul_precision())
        return 1000.0

    timer.time_us = look
    usual = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")
    try:
        meter = CeilingMeter(None)
        meter.ceilings(4096)
        seen.clear()
        meter.ceilings(4096, "float32")
        assert torch.get_float32_matmul_precision() == "high"
    finally:
        torch.set_float32_matmul_precision(usual)
    assert seen == {"highest"}


@pytest.mark.cuda
def test_a_gpu_has_ceilings() -> None:
    device = Device("cuda")
    meter = CeilingMeter(device, Flush(device, last_level_cache_bytes(device)))
    found = meter.ceilings(256 << 20, "bfloat16")
    assert 0 < found.copy_gb_s <= found.highest_gb_s
    assert found.matmul_tflop_s
