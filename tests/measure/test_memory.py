"""Each column sees what it says it sees; what has no number has a reason."""

from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch

from opwright.devices.device import Device
from opwright.measure import memory
from opwright.measure.memory import Memory, highest, memory_of

MIB = 1 << 20
COLUMNS = {"allocated_peak_bytes", "reserved_bytes", "device_bytes", "process_peak_bytes"}


def every_column(seen: Memory) -> bool:
    return set(seen.columns) | set(seen.not_measured) == COLUMNS and not (
        set(seen.columns) & set(seen.not_measured)
    )


def with_a_workspace() -> torch.Tensor:
    """8 MiB that are given back, then 1 MiB that is returned."""
    torch.empty(8 * MIB, dtype=torch.uint8)
    return torch.empty(MIB, dtype=torch.uint8)


def test_on_the_host_the_allocator_is_seen_at_its_peak() -> None:
    seen = memory_of(with_a_workspace, None)
    assert every_column(seen)
    assert seen.columns["allocated_peak_bytes"] == 8 * MIB
    assert set(seen.not_measured) >= {"reserved_bytes", "device_bytes"}
    assert all(seen.not_measured.values())


def test_what_is_kept_adds_to_what_comes_after() -> None:
    def both() -> list[torch.Tensor]:
        return [torch.empty(MIB, dtype=torch.uint8), torch.empty(2 * MIB, dtype=torch.uint8)]

    assert memory_of(both, None).columns["allocated_peak_bytes"] == 3 * MIB


def test_a_call_in_place_adds_nothing() -> None:
    tensor = torch.zeros(MIB)
    assert memory_of(tensor.zero_, None).columns["allocated_peak_bytes"] < 4096


def test_memory_past_the_allocator_is_seen_by_the_process() -> None:
    seen = memory_of(lambda: len(bytearray(b"\1" * (64 * MIB))), None)
    if "process_peak_bytes" in seen.not_measured:
        pytest.skip(seen.not_measured["process_peak_bytes"])
    assert seen.columns["allocated_peak_bytes"] < MIB
    assert seen.columns["process_peak_bytes"] > 60 * MIB


def test_a_peak_that_cannot_be_reset_is_not_measured(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(memory, "_PROCESS", tmp_path / "nothing")
    assert "cannot be reset" in memory_of(with_a_workspace, None).not_measured["process_peak_bytes"]


def test_a_peak_that_stays_where_it_was_is_not_measured(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "status").write_text("VmHWM:\t 900000 kB\nVmRSS:\t 100000 kB\n")
    monkeypatch.setattr(memory, "_PROCESS", tmp_path)
    missing = memory_of(with_a_workspace, None).not_measured
    assert "as high as it was" in missing["process_peak_bytes"]


def test_what_the_call_raises_is_raised() -> None:
    def fails() -> None:
        raise ValueError("no call")

    with pytest.raises(ValueError, match="no call"):
        memory_of(fails, None)


def test_the_highest_sum_on_the_way() -> None:
    assert highest([5, -5, 3, 4, -7]) == 7
    assert highest([-5, 2]) == 0
    assert highest([]) == 0


class MadeUp:
    """A device's module whose allocator and whose device see different things."""

    def __init__(self) -> None:
        self.free, self.allocated, self.peak = 100 * MIB, MIB, MIB
        self.asked = threading.Event()

    def empty_cache(self) -> None:
        pass

    def reset_peak_memory_stats(self, _device: object) -> None:
        self.peak = self.allocated

    def memory_allocated(self, _device: object) -> int:
        return self.allocated

    def memory_reserved(self, _device: object) -> int:
        return 2 * self.allocated

    def max_memory_allocated(self, _device: object) -> int:
        return self.peak

    def max_memory_reserved(self, _device: object) -> int:
        return 2 * self.peak

    def mem_get_info(self, _device: object) -> tuple[int, int]:
        free = self.free
        self.asked.set()
        return free, 200 * MIB


def device_with(module: Any) -> Device:
    free = getattr(module, "mem_get_info", None)
    made = SimpleNamespace(
        kind="made_up",
        first=torch.device("cpu"),
        module=module,
        synchronize=lambda: None,
        free_bytes=lambda: free(None)[0] if free else 0,
    )
    return cast("Device", made)


def test_each_column_of_a_device_is_what_it_rose_by() -> None:
    module = MadeUp()

    def call() -> None:
        module.peak = module.allocated + 3 * MIB

    seen = memory_of(call, device_with(module))
    assert every_column(seen)
    assert seen.columns["allocated_peak_bytes"] == 3 * MIB
    assert seen.columns["reserved_bytes"] == 6 * MIB
    assert seen.columns["device_bytes"] == 0


def test_a_workspace_past_the_allocator_is_seen_although_the_call_gives_it_back() -> None:
    module = MadeUp()

    def call() -> None:
        module.free = 60 * MIB
        module.asked.clear()
        module.asked.wait(0.2)  # as long as a device would work with it
        module.free = 100 * MIB

    seen = memory_of(call, device_with(module))
    assert seen.columns["device_bytes"] == 40 * MIB
    assert seen.columns["allocated_peak_bytes"] == 0


def test_a_device_that_tells_nothing_has_reasons() -> None:
    seen = memory_of(lambda: None, device_with(SimpleNamespace()))
    assert every_column(seen)
    assert set(seen.not_measured) >= {"allocated_peak_bytes", "reserved_bytes", "device_bytes"}


@pytest.mark.cuda
def test_on_a_gpu_the_allocator_and_the_device_agree_on_a_large_tensor() -> None:
    torch.cuda.empty_cache()  # what tests before this one have left would do for the tensor
    seen = memory_of(
        lambda: torch.zeros(64 * MIB, dtype=torch.uint8, device="cuda"), Device("cuda")
    )
    assert every_column(seen)
    assert seen.columns["allocated_peak_bytes"] == 64 * MIB
    assert seen.columns["reserved_bytes"] >= 64 * MIB
    assert seen.columns["device_bytes"] >= 64 * MIB
