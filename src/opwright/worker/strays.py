"""Ends processes, also those that a child has left behind, and leaves no zombie."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path

_PATIENCE_SECONDS = 5.0  # a process inside a driver call may not die at once, or ever


def kill_group(pid: int) -> None:
    """Kill ``pid`` and the process group that it leads."""
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(pid, signal.SIGKILL)


def reap(pid: int, seconds: float) -> int | None:
    """Return the wait status of child ``pid`` once it has ended, or None after ``seconds``."""
    deadline = time.monotonic() + seconds
    pause = 0.0005
    while True:
        try:
            ended, status = os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            return 0
        if ended:
            return status
        if time.monotonic() >= deadline:
            return None
        time.sleep(pause)
        pause = min(2 * pause, 0.02)


def end(pid: int) -> int | None:
    """Kill child ``pid``, its group and what they left behind; return its wait status."""
    kill_group(pid)
    status = reap(pid, _PATIENCE_SECONDS)
    end_orphans()
    return status


def end_orphans() -> None:
    """Kill and reap every child of this process, until none is left or patience is over."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while (pids := children()) and time.monotonic() < deadline:
        for pid in pids:
            kill_group(pid)
        for pid in pids:
            reap(pid, 0.05)


def children() -> list[int]:
    """Return the ids of this process's children, zombies included."""
    own = os.getpid()
    try:
        return [int(pid) for pid in Path(f"/proc/self/task/{own}/children").read_text().split()]
    except OSError:  # a kernel without this file
        return [pid for pid in _all_pids() if _parent_of(pid) == own]


def _all_pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _parent_of(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return 0
