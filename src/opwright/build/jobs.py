"""How many compilers may run at a time: what processors, memory and process limits allow."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

# A unit full of templates takes this much; a job is a shell, a driver, a compiler and an assembler.
JOB_BYTES = 1_500_000_000
JOB_PROCESSES = 4

_CGROUPS = Path("/sys/fs/cgroup")


class Jobs(NamedTuple):
    """How many at a time, because of what, and the memory that was free; 0 bytes where that cannot be told."""

    at_once: int
    because: str
    free_bytes: int


def job_count(units: int, environment: Mapping[str, str] = os.environ) -> Jobs:
    """At least one, at most one a unit. OPWRIGHT_JOBS, or else MAX_JOBS, is a further limit."""
    free_bytes = _free_memory_bytes()
    limits = [(units, "units to compile"), (_processors(), "processors")]
    if free_bytes is not None:
        limits.append((free_bytes // JOB_BYTES, f"{free_bytes / 1e9:.1f} GB of free memory"))
    if (processes := _free_processes()) is not None:
        limits.append((processes // JOB_PROCESSES, f"{processes} more processes allowed"))
    for name in ("MAX_JOBS", "OPWRIGHT_JOBS"):
        with suppress(KeyError, ValueError):
            limits.append((int(environment[name]), name))
    count, because = min(limits)
    return Jobs(max(1, count), because, free_bytes or 0)


def _processors() -> int:
    allowed = len(os.sched_getaffinity(0))
    for folder in _groups("cpu"):
        with suppress(OSError, ValueError):
            if (folder / "cpu.max").exists():
                quota, period = (folder / "cpu.max").read_text().split()
            else:
                quota = (folder / "cpu.cfs_quota_us").read_text().strip()
                period = (folder / "cpu.cfs_period_us").read_text().strip()
            if quota not in ("max", "-1"):
                allowed = min(allowed, max(1, round(int(quota) / int(period))))
    return allowed


def _free_memory_bytes() -> int | None:
    """The least of what the machine and each control group around this process still have."""
    found: list[int] = []
    with suppress(OSError, ValueError, IndexError):
        text = Path("/proc/meminfo").read_text()
        found.append(int(text.partition("MemAvailable:")[2].split()[0]) * 1024)
    for folder in _groups("memory"):
        with suppress(OSError, ValueError):
            if (folder / "memory.max").exists():
                limit, used = folder / "memory.max", folder / "memory.current"
            else:
                limit, used = folder / "memory.limit_in_bytes", folder / "memory.usage_in_bytes"
            found.append(
                int(limit.read_text()) - int(used.read_text()) + _reclaimable_bytes(folder)
            )
    return max(0, min(found)) if found else None


def _reclaimable_bytes(folder: Path) -> int:
    """Cached files count as used, but go as soon as memory is wanted."""
    with suppress(OSError):
        for line in (folder / "memory.stat").read_text().splitlines():
            name, _, value = line.partition(" ")
            if name in ("inactive_file", "total_inactive_file"):
                return int(value)
    return 0


def _free_processes() -> int | None:
    found: list[int] = []
    for folder in _groups("pids"):
        with suppress(OSError, ValueError):  # "max" is no number
            limit = int((folder / "pids.max").read_text())
            found.append(limit - int((folder / "pids.current").read_text()))
    return max(0, min(found)) if found else None


def _groups(controller: str) -> Iterator[Path]:
    """The folders of this process's control groups, version 1 or 2, from the innermost outwards."""
    lines: list[str] = []
    with suppress(OSError):
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controller in controllers.split(","):
            base = _CGROUPS / controller
        elif not controllers:
            base = _CGROUPS
        else:
            continue
        folder = base / path.lstrip("/")
        yield from (part for part in (folder, *folder.parents) if part.is_relative_to(base))
