"""A lock between processes and threads that dies with its holder, and says who holds it."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from opwright.errors import TimedOut
from opwright.files import write_atomic
from opwright.log import log

if TYPE_CHECKING:
    from filelock import BaseFileLock

_POLL_SECONDS = 0.05
_REMIND_SECONDS = 30.0
_NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL})


@contextmanager
def hold(path: Path, *, purpose: str, timeout_seconds: float) -> Iterator[bool]:
    """Hold the lock of ``path`` inside the block; yields False where the file system has no locks.

    The kernel's lock decides, so a dead holder never blocks anybody; ``<path>.holder`` only tells who
    it is. Raises `TimedOut`, naming the holder, after ``timeout_seconds``.
    """
    if not can_lock(path):
        log(
            "lock.unavailable",
            f"{path.parent} has no file locks: {purpose} goes on without one; two builders may do the same work, "
            "the first to finish wins",
            path=str(path),
        )
        yield False
        return
    from filelock import FileLock  # only those who build pay for it

    lock = FileLock(path)
    _acquire(lock, path, purpose, timeout_seconds)
    holder = holder_path(path)
    try:
        _tell_reclaimed(path, purpose)
        with suppress(OSError):  # who holds it is worth knowing, not worth failing for
            write_atomic(holder, json.dumps(_this_process(purpose)))
        yield True
    finally:
        with suppress(OSError):
            holder.unlink()
        lock.release()


def holder_path(path: Path) -> Path:
    """Where the holder of the lock of ``path`` is written down."""
    return path.with_name(f"{path.name}.holder")


def is_free(path: Path) -> bool:
    """Whether nobody holds the lock of ``path`` now."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)


def can_lock(path: Path) -> bool:
    """Whether the file system of ``path`` has locks at all (NFS without its lock service has none)."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in _NO_LOCKS
    finally:
        os.close(descriptor)
    return True


def describe_holder(path: Path) -> str:
    """``process 123 on host h since 2026-01-01 12:00:00``, as the holder wrote it down."""
    try:
        facts = json.loads(holder_path(path).read_text())
        since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(facts["since"]))
        return f"process {facts['pid']} on host {facts['host']} since {since}"
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return "a process that has not said who it is"


def _this_process(purpose: str) -> dict[str, object]:
    return {
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "since": time.time(),
        "purpose": purpose,
    }


def _acquire(lock: BaseFileLock, path: Path, purpose: str, timeout_seconds: float) -> None:
    from filelock import Timeout

    started = time.monotonic()
    next_word = started
    while True:
        with suppress(Timeout):
            lock.acquire(timeout=0)
            return
        now = time.monotonic()
        if now - started >= timeout_seconds:
            raise TimedOut(
                f"waited {timeout_seconds:g} s for {purpose}; the lock is held by {describe_holder(path)}",
                hint="Wait for that process, end it, or raise the time limit.",
            )
        # The holder writes itself down a moment after it takes the lock: the first word waits for that.
        if now >= next_word + _POLL_SECONDS:
            who = describe_holder(path)
            log("lock.wait", f"waiting for {purpose}: {who} is at it", path=str(path), holder=who)
            next_word = now + _REMIND_SECONDS
        time.sleep(_POLL_SECONDS)


def _tell_reclaimed(path: Path, purpose: str) -> None:
    if holder_path(path).exists():  # a holder that ended in order has removed it
        who = describe_holder(path)
        log(
            "lock.reclaimed",
            f"{purpose}: {who} died before it finished; its lock is reclaimed",
            holder=who,
        )
