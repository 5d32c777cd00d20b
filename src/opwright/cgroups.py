"""What this process may still have: memory, processor time and processes, of the machine and its control groups."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

ROOT = Path("/")
_CGROUPS = "sys/fs/cgroup"


def free_memory_bytes(root: Path = ROOT) -> int | None:
    """The least of what the machine and each group around this process still have; None where none says."""
    found: list[int] = []
    with suppress(OSError, ValueError, IndexError):
        text = (root / "proc/meminfo").read_text()
        found.append(int(text.partition("MemAvailable:")[2].split()[0]) * 1024)
    for folder in _groups("memory", root):
        for limit, used in (
            ("memory.max", "memory.current"),
            ("memory.limit_in_bytes", "memory.usage_in_bytes"),
        ):
            with suppress(OSError, ValueError):  # "max" is no number
                free = int((folder / limit).read_text()) - int((folder / used).read_text())
                found.append(free + _reclaimable_bytes(folder))
    return max(0, min(found)) if found else None


def processor_limit(root: Path = ROOT) -> float | None:
    """How many processors' worth of time the groups allow; None without a limit."""
    found: list[float] = []
    for folder in _groups("cpu", root):
        with suppress(OSError, ValueError, ZeroDivisionError):
            if (folder / "cpu.max").exists():
                quota, period = (folder / "cpu.max").read_text().split()
            else:
                quota = (folder / "cpu.cfs_quota_us").read_text()
                period = (folder / "cpu.cfs_period_us").read_text()
            if int(quota) >= 0:  # -1 and "max" are no limit
                found.append(int(quota) / int(period))
    return min(found, default=None)


def throttled_periods(root: Path = ROOT) -> tuple[int, int] | None:
    """In how many scheduling periods a group was stopped for its quota, and of how many; None if unknown.

    Both count from when the group was made; of several groups the one that was stopped most.
    """
    found: list[tuple[int, int]] = []
    for folder in _groups("cpu", root):
        with suppress(OSError, ValueError, KeyError):
            lines = (folder / "cpu.stat").read_text().splitlines()
            counts = dict(line.split(maxsplit=1) for line in lines)
            found.append((int(counts["nr_throttled"]), int(counts["nr_periods"])))
    return max(found, default=None)


def free_processes(root: Path = ROOT) -> int | None:
    """How many more processes the groups allow; None without a limit."""
    found: list[int] = []
    for folder in _groups("pids", root):
        with suppress(OSError, ValueError):
            limit = int((folder / "pids.max").read_text())
            found.append(limit - int((folder / "pids.current").read_text()))
    return max(0, min(found)) if found else None


def _reclaimable_bytes(folder: Path) -> int:
    """Cached files count as used, but go as soon as memory is wanted."""
    with suppress(OSError):
        for line in (folder / "memory.stat").read_text().splitlines():
            name, _, value = line.partition(" ")
            if name in ("inactive_file", "total_inactive_file"):
                return int(value)
    return 0


def _groups(controller: str, root: Path) -> Iterator[Path]:
    """The folders of this process's groups, version 1 or 2, from the innermost outwards."""
    lines: list[str] = []
    with suppress(OSError):
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    bases = {base: base for base in (root / _CGROUPS, root / _CGROUPS / controller)}
    for line in lines:
        _, controllers, path = (*line.split(":", 2), "", "")[:3]
        base = root / _CGROUPS / (controller if controllers else "")
        if not controllers or controller in controllers.split(","):
            bases[base] = base / path.lstrip("/")
    for base, folder in bases.items():
        yield from (part for part in (folder, *folder.parents) if part.is_relative_to(base))
