"""Find the processes that a command has started, by a mark in their environment."""

from __future__ import annotations

import time
from pathlib import Path


def processes_with(mark: str) -> list[int]:
    """The processes in whose environment ``mark`` stands."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark.encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def all_gone(mark: str) -> bool:
    """Whether they all end; waits for half a minute at most."""
    deadline = time.monotonic() + 30
    while processes_with(mark) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not processes_with(mark)
