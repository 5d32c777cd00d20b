from __future__ import annotations

from types import ModuleType

import pytest
import torch

pytestmark = pytest.mark.xdist_group("simulated")
DELAY_MS = 60


def test_fresh_memory_holds_what_nobody_can_take_for_an_answer(device: ModuleType) -> None:
    assert torch.empty(5, device="simulated").isnan().all().item()
    device.set_fresh_byte(0xA5)
    try:
        assert torch.empty(5, dtype=torch.uint8, device="simulated").cpu().tolist() == [0xA5] * 5
    finally:
        device.set_fresh_byte(0xFF)


def test_freed_memory_is_used_again_on_its_stream(device: ModuleType) -> None:
    first = torch.zeros(3000, device="simulated")
    place = first.data_ptr()
    del first
    assert torch.zeros(3000, device="simulated").data_ptr() == place


def _copy_after_free(device: ModuleType, *, recorded: bool) -> list[float]:
    """What a side stream reads of a tensor that was freed before it came to that."""
    tensor = torch.full((8,), 5.0, device="simulated")
    device.synchronize()
    side = device.Stream()
    with device.stream(side):
        device.delay(DELAY_MS)
        read = tensor * 1
    if recorded:
        tensor.record_stream(side)
    del tensor
    side.synchronize()
    return list(read.cpu().tolist())


def test_a_stream_that_was_not_recorded_reads_freed_memory(device: ModuleType) -> None:
    assert _copy_after_free(device, recorded=True) == [5.0] * 8
    assert all(value < -1e30 for value in _copy_after_free(device, recorded=False))


def test_statistics_follow_what_is_alive(device: ModuleType) -> None:
    before = device.memory_allocated(1)
    device.reset_peak_memory_stats(1)
    tensor = torch.empty(1000, device="simulated:1")
    assert device.memory_allocated(1) - before == 4096
    del tensor
    assert device.memory_allocated(1) == before
    assert device.max_memory_allocated(1) == before + 4096
    assert device.memory_reserved(1) >= 4096
    free, total = device.mem_get_info(1)
    assert free == total - device.memory_reserved(1)


def test_an_emptied_cache_gives_large_blocks_back(device: ModuleType) -> None:
    large = torch.empty(4 << 20, dtype=torch.uint8, device="simulated")
    held = device.memory_reserved()
    del large
    assert device.memory_reserved() == held
    device.empty_cache()
    assert device.memory_reserved() <= held - (4 << 20)


def test_more_than_there_is_is_refused(device: ModuleType) -> None:
    with pytest.raises(RuntimeError, match="simulated:0 is out of memory"):
        torch.empty(1 << 50, dtype=torch.uint8, device="simulated")
