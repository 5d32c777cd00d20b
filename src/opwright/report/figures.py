"""How numbers are written: short enough for a column, with their unit where they have one."""

from __future__ import annotations

import math


def seconds_text(seconds: float) -> str:
    """``0.04 s``, ``3.4 s``, ``145 s``."""
    if seconds < 0.095:
        return f"{seconds:.2f} s"
    return f"{seconds:.1f} s" if seconds < 99.95 else f"{seconds:.0f} s"


def figure_text(value: float | None) -> str:
    """Two or three telling digits: ``0.50``, ``1.9``, ``693``, ``>1e6``; nothing for None."""
    if value is None:
        return ""
    if not math.isfinite(value):
        return str(value)
    if value >= 1e6:
        return ">1e6"
    if value >= 9.95:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 0.995 or value == 0 else f"{value:.2f}"


def size_text(size_bytes: int) -> str:
    """``512 B``, ``1.4 MB``: powers of 1000, as disks are sold."""
    size = float(size_bytes)
    for unit in ("B", "kB", "MB", "GB"):
        if size < 999.5:
            return f"{size:.0f} {unit}" if unit == "B" or size >= 99.95 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"


def age_text(seconds: float) -> str:
    """``12 s``, ``5 min``, ``3 h``, ``9 days``."""
    for unit, length, until in (("s", 1, 60), ("min", 60, 3600), ("h", 3600, 48 * 3600)):
        if seconds < until:
            return f"{max(0, seconds) / length:.0f} {unit}"
    return f"{seconds / 86400:.0f} days"


def count_text(count: int, noun: str) -> str:
    """``1 case``, ``3 cases``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
