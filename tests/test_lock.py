"""The lock: one holder at a time, dead ones don't count, waiting says for whom."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from opwright.errors import TimedOut
from opwright.lock import hold, holder_path, is_free
from small_build import heard, run_python

HOLD = """
import sys, time
from pathlib import Path
from opwright.lock import hold
with hold(Path({path!r}), purpose="the build of x", timeout_seconds=60):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.lock"


def test_threads_take_turns(path: Path) -> None:
    inside: list[int] = []
    most: list[int] = []

    def work() -> None:
        with hold(path, purpose="a build", timeout_seconds=60):
            inside.append(1)
            most.append(len(inside))
            time.sleep(0.01)
            inside.pop()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 6


def test_waiting_says_for_whom_and_ends_in_time(path: Path) -> None:
    child = run_python(HOLD.format(path=str(path)))
    assert child.stdout is not None
    child.stdout.readline()
    with (
        heard() as said,
        pytest.raises(TimedOut) as failure,
        hold(path, purpose="the build of x", timeout_seconds=0.4),
    ):
        pass
    os.kill(child.pid, signal.SIGKILL)
    child.communicate()
    assert f"held by process {child.pid} on host " in failure.value.what
    assert [kind for kind, _ in said] == ["lock.wait"]
    assert f"waiting for the build of x: process {child.pid} on host" in said[0][1]


def test_a_killed_holder_frees_the_lock_and_is_named(path: Path) -> None:
    child = run_python(HOLD.format(path=str(path)))
    assert child.stdout is not None
    child.stdout.readline()
    assert not is_free(path)
    os.kill(child.pid, signal.SIGKILL)
    child.communicate()
    assert is_free(path)
    with heard() as said, hold(path, purpose="the build of x", timeout_seconds=5):
        pass
    assert [kind for kind, _ in said] == ["lock.reclaimed"]
    assert f"process {child.pid}" in said[0][1]
    with heard() as said, hold(path, purpose="the build of x", timeout_seconds=5):
        pass
    assert said == []


@pytest.mark.parametrize("holder", ["", "{", json.dumps({"pid": 1, "host": "h", "since": 0})])
def test_a_lock_file_from_yesterday_holds_nobody_up(path: Path, holder: str) -> None:
    """Empty, torn, or with the number of a process that lives and has nothing to do with it."""
    path.touch()
    os.utime(path, (1, 1))
    holder_path(path).write_text(holder)
    with hold(path, purpose="a build", timeout_seconds=1) as exclusive:
        assert exclusive


@pytest.mark.parametrize("code", [errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP])
def test_without_locks_it_warns_and_goes_on(
    path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def no_locks(*args: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(fcntl, "flock", no_locks)
    with heard() as said, hold(path, purpose="a build", timeout_seconds=1) as exclusive:
        assert not exclusive
    assert [kind for kind, _ in said] == ["lock.unavailable"]


def test_the_lock_is_released_when_the_work_raises(path: Path) -> None:
    with pytest.raises(ZeroDivisionError), hold(path, purpose="a build", timeout_seconds=1):
        raise ZeroDivisionError
    assert is_free(path)
    assert not holder_path(path).exists()


def test_a_process_that_is_forked_meanwhile_does_not_keep_the_lock(path: Path) -> None:
    """A worker that another thread forks during a build inherits its files, and must not block the next."""
    child = run_python(
        "import os, time\n"
        + HOLD.format(path=str(path)).replace(
            "    time.sleep(600)",
            "    if os.fork() == 0:\n        time.sleep(600)\n    print(1, flush=True)\n    time.sleep(600)",
        )
    )
    assert child.stdout is not None
    child.stdout.readline()
    child.stdout.readline()
    os.kill(child.pid, signal.SIGKILL)
    deadline = time.monotonic() + 5
    while not is_free(path) and time.monotonic() < deadline:
        time.sleep(0.01)
    free = is_free(path)
    os.killpg(child.pid, signal.SIGKILL)
    child.communicate()
    assert free
