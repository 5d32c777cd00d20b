"""What a call adds to memory, in four columns: no single one of them sees everything."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from opwright.devices.device import Device

_PROCESS = Path("/proc/self")
_RESET_PEAK = "5"  # of what /proc/self/clear_refs takes (proc_pid_clear_refs(5))
_RESET_SLACK_BYTES = 4 << 20
_WATCHED_CALLS = (
    10  # a workspace that is given back within the call is seen in one of them, or not at all
)
_MARK_BYTES = 12_288  # allocated first, to show that the profiler sees allocations


@dataclass(frozen=True)
class Memory:
    """By how many bytes each column rose over what it was just before the call, and why some have no number.

    ``allocated_peak_bytes``: the peak of PyTorch's allocator. ``reserved_bytes``: the peak of what that
    takes from the device, its cache emptied before. ``device_bytes``: the most that the device said was in
    use, whoever uses it. ``process_peak_bytes``: the peak of the resident pages of this process.
    """

    columns: dict[str, int] = field(default_factory=dict)
    not_measured: dict[str, str] = field(default_factory=dict)


def memory_of(call: Callable[[], Any], device: Device | None) -> Memory:
    """Run ``call`` some times and see what it takes.

    Run it once before: what is set up once would count otherwise. What it returns counts, as it lives then.
    """
    columns: dict[str, int] = {}
    missing: dict[str, str] = {}
    if device is None:
        _process_peak(call, columns, missing)
        _host_allocator(call, columns, missing)
        missing["reserved_bytes"] = "PyTorch's allocator of host memory keeps no reserve"
        missing["device_bytes"] = "the host is no device; see process_peak_bytes"
    else:
        _process_peak(_until_done(call, device), columns, missing)
        _device_allocator(call, device, columns, missing)
        _device_use(call, device, columns, missing)
    return Memory(columns, missing)


def _until_done(call: Callable[[], Any], device: Device) -> Callable[[], Any]:
    def run() -> Any:
        result = call()
        device.synchronize()
        return result

    return run


def _process_peak(
    call: Callable[[], Any], columns: dict[str, int], missing: dict[str, str]
) -> None:
    """Linux keeps the highest number of resident pages, and forgets it when it is told to.

    Threads hand in what they count in portions of some dozens of pages.
    """
    try:
        before = _with_peak_reset()
    except (OSError, ValueError) as error:
        missing["process_peak_bytes"] = f"the peak cannot be reset in {_PROCESS}: {error}"
        return
    result = call()
    columns["process_peak_bytes"] = max(0, _status_bytes("VmHWM") - before)
    del result


def _with_peak_reset() -> int:
    """The resident bytes, which are the highest number so far. Raises OSError or ValueError."""
    (_PROCESS / "clear_refs").write_text(_RESET_PEAK)
    resident = _status_bytes("VmRSS")
    if _status_bytes("VmHWM") > resident + _RESET_SLACK_BYTES:
        raise ValueError("it is as high as it was")
    return resident


def _status_bytes(name: str) -> int:
    """A ``VmHWM:  123 kB`` line. Raises ValueError without one."""
    for line in (_PROCESS / "status").read_text().splitlines():
        key, _, value = line.partition(":")
        if key == name:
            return int(value.split()[0]) << 10
    raise ValueError(f"no {name} in {_PROCESS / 'status'}")


def _host_allocator(
    call: Callable[[], Any], columns: dict[str, int], missing: dict[str, str]
) -> None:
    """The allocator counts nothing, but tells the profiler of each allocation and each release."""
    cpu = [torch.profiler.ProfilerActivity.CPU]
    with torch.profiler.profile(activities=cpu, profile_memory=True, acc_events=True) as profile:
        mark = torch.empty(_MARK_BYTES, dtype=torch.uint8)
        del mark
        result = call()
    results = profile.profiler.kineto_results if profile.profiler else None
    events = sorted(results.events(), key=lambda e: e.start_ns()) if results else []
    changes = [event.nbytes() for event in events if event.name() == "[memory]"]
    del result
    if changes[:2] != [_MARK_BYTES, -_MARK_BYTES]:
        missing["allocated_peak_bytes"] = "PyTorch's profiler sees no allocations here"
    else:
        columns["allocated_peak_bytes"] = highest(changes[2:])


def highest(changes: list[int]) -> int:
    """The highest that a sum of changes comes to on its way, and at least 0."""
    total = peak = 0
    for change in changes:
        total += change
        peak = max(peak, total)
    return peak


def _device_allocator(
    call: Callable[[], Any], device: Device, columns: dict[str, int], missing: dict[str, str]
) -> None:
    module = device.module
    if not hasattr(module, "reset_peak_memory_stats"):
        for column in ("allocated_peak_bytes", "reserved_bytes"):
            missing[column] = f"torch.{device.kind} keeps no peaks of memory"
        return
    device.synchronize()
    module.empty_cache()
    module.reset_peak_memory_stats(device.first)
    allocated = module.memory_allocated(device.first)
    reserved = module.memory_reserved(device.first)
    result = call()
    device.synchronize()
    columns["allocated_peak_bytes"] = module.max_memory_allocated(device.first) - allocated
    columns["reserved_bytes"] = module.max_memory_reserved(device.first) - reserved
    del result


def _device_use(
    call: Callable[[], Any], device: Device, columns: dict[str, int], missing: dict[str, str]
) -> None:
    """Ask the device again and again while it works: it keeps no peak."""
    if not hasattr(device.module, "mem_get_info"):
        missing["device_bytes"] = f"torch.{device.kind} does not say how much memory is free"
        return
    device.synchronize()
    before = device.free_bytes()  # with the allocator's cache emptied
    over = threading.Event()
    least = [before]

    def watch() -> None:
        while not over.is_set():
            least[0] = min(least[0], int(device.module.mem_get_info(device.first)[0]))

    watcher = threading.Thread(target=watch, name="device-memory", daemon=True)
    watcher.start()
    try:
        for _ in range(_WATCHED_CALLS):
            result = call()
            device.synchronize()
            least[0] = min(least[0], int(device.module.mem_get_info(device.first)[0]))
            del result
    finally:
        over.set()
        watcher.join()
    columns["device_bytes"] = before - least[0]
