"""The processors that this process may use: their clock, their load, and what is taken from them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from opwright.cgroups import ROOT, processor_limit, throttled_periods

_CPUS = "sys/devices/system/cpu"
_TICK_FIELDS = 8  # of /proc/stat: user to steal; guests are counted in user
_STEAL = 7


@dataclass(frozen=True)
class HostState:
    """One look at the processors that this process may use; ``not_read`` says why something is missing.

    ``mhz`` is the clock of the fastest, ``fixed_clock`` whether the governor has no choice of one. Ticks
    and periods count up from some time in the past.
    """

    cpus: int
    quota_cpus: float | None = None
    governor: str = ""
    fixed_clock: bool | None = None
    mhz: float | None = None
    load: float | None = None
    steal_ticks: int | None = None
    total_ticks: int | None = None
    throttled_periods: int | None = None
    not_read: dict[str, str] = field(default_factory=dict)


def host_state(root: Path = ROOT) -> HostState:
    """The state now; raises nothing."""
    allowed = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    cpus = allowed or list(range(os.cpu_count() or 1))
    reader = _Reader(root)
    ticks = reader.read("ticks", lambda: _ticks(root, set(cpus)))
    governors = reader.read("governor", lambda: _each(root, cpus, "scaling_governor"))
    bounds = reader.read("fixed_clock", lambda: _bounds(root, cpus))
    periods = throttled_periods(root)
    if periods is None:
        reader.missing["throttled_periods"] = "no control group counts them"
    return HostState(
        cpus=len(cpus),
        quota_cpus=processor_limit(root),
        governor=", ".join(sorted(set(governors or ()))),
        fixed_clock=None if bounds is None else all(low == high for low, high in bounds),
        mhz=reader.read("mhz", lambda: _fastest_mhz(root, set(cpus))),
        load=reader.read("load", lambda: float((root / "proc/loadavg").read_text().split()[0])),
        steal_ticks=ticks[0] if ticks else None,
        total_ticks=ticks[1] if ticks else None,
        throttled_periods=periods[0] if periods else None,
        not_read=reader.missing,
    )


class _Reader:
    """Reads what is there, and keeps why something is not."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.missing: dict[str, str] = {}

    def read(self, name: str, ask: Callable[[], Any]) -> Any:
        try:
            return ask()
        except (OSError, ValueError, IndexError) as error:
            self.missing[name] = str(error).replace(str(self.root), "/", 1) or type(error).__name__
            return None


def _each(root: Path, cpus: Sequence[int], name: str) -> list[str]:
    return [(root / _CPUS / f"cpu{cpu}/cpufreq/{name}").read_text().strip() for cpu in cpus]


def _bounds(root: Path, cpus: Sequence[int]) -> list[tuple[str, str]]:
    lowest, highest = (_each(root, cpus, f"scaling_{which}_freq") for which in ("min", "max"))
    return list(zip(lowest, highest, strict=True))


def _fastest_mhz(root: Path, cpus: set[int]) -> float:
    with suppress(OSError, ValueError):
        return max(int(khz) for khz in _each(root, sorted(cpus), "scaling_cur_freq")) / 1e3
    return max(_cpuinfo_mhz(root, cpus))


def _cpuinfo_mhz(root: Path, cpus: set[int]) -> Iterator[float]:
    """On a virtual machine these are often the nominal clock, whatever the processor does."""
    number = -1
    for line in (root / "proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "processor":
            number = int(value)
        elif name.strip() == "cpu MHz" and number in cpus:
            yield float(value)


def _ticks(root: Path, cpus: set[int]) -> tuple[int, int]:
    """What another machine on the same processors took, and all of the time."""
    steal = total = 0
    for line in (root / "proc/stat").read_text().splitlines():
        name, *counts = line.split()
        number = name.removeprefix("cpu")
        if name.startswith("cpu") and number.isdigit() and int(number) in cpus:
            ticks = [int(count) for count in counts[:_TICK_FIELDS]]
            steal, total = steal + ticks[_STEAL], total + sum(ticks)
    return steal, total
