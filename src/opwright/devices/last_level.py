"""How large the outermost cache is between what computes and its memory: host and devices."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opwright.devices.device import Device
from opwright.errors import OpwrightError
from opwright.process import run_command

ROOT = Path("/")
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@dataclass(frozen=True)
class LastLevel:
    """The size in bytes and who says so; 0 where nobody does, and ``reason`` says why."""

    size_bytes: int
    source: str
    reason: str = ""


def last_level(device: Device | None, root: Path = ROOT) -> LastLevel:
    """The last level of ``device``, or of the host where it is None."""
    if device is None or device.kind == "simulated":  # that computes on the host's processors
        return _host_last_level(root)
    ask = getattr(device.module, "get_device_properties", None)
    properties: Any = ask(device.first) if ask else None
    size_bytes = int(getattr(properties, "L2_cache_size", 0) or 0)
    source = f"torch.{device.kind}.get_device_properties"
    return LastLevel(
        size_bytes,
        source,
        "" if size_bytes else f"{source} names no L2_cache_size for {device.name}",
    )


def _host_last_level(root: Path) -> LastLevel:
    """All caches of the outermost level that the processors of this process have, added up.

    A processor of several dies has one such cache a die: a call of many threads uses them all.
    """
    allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    found: dict[tuple[int, str], int] = {}
    for cpu, index in _sysfs_caches(root):
        if allowed is None or cpu in allowed:
            with suppress(OSError, ValueError, KeyError, IndexError):
                if _text(index / "type") != "Instruction":
                    shared = _text(index / "shared_cpu_list")
                    found[int(_text(index / "level")), shared] = _bytes(_text(index / "size"))
    if found:
        outermost = max(level for level, _ in found)
        size_bytes = sum(size for (level, _), size in found.items() if level == outermost)
        return LastLevel(size_bytes, f"sysfs, level {outermost}")
    return _getconf()


def _sysfs_caches(root: Path) -> Iterator[tuple[int, Path]]:
    for index in (root / "sys/devices/system/cpu").glob("cpu[0-9]*/cache/index[0-9]*"):
        yield int(index.parents[1].name.removeprefix("cpu")), index


def _text(path: Path) -> str:
    return path.read_text(encoding="ascii").strip()


def _bytes(size: str) -> int:
    """``32768K`` and the like."""
    unit = _UNITS.get(size[-1].upper())
    return int(size[:-1]) * unit if unit else int(size)


def _getconf() -> LastLevel:
    """The C library's answer; on a virtual machine it may be that of a whole other machine."""
    for level in (4, 3, 2):
        with suppress(OpwrightError, ValueError):
            done = run_command(["getconf", f"LEVEL{level}_CACHE_SIZE"], timeout_seconds=5)
            if done.ok and int(done.stdout) > 0:
                return LastLevel(int(done.stdout), f"getconf, level {level}")
    return LastLevel(0, "", "neither /sys/devices/system/cpu nor getconf knows a cache")
