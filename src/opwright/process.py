"""Run one command to its end: both streams kept, a time limit kept, and nothing of it left running."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple

from opwright.errors import TimedOut, ToolchainError

KEPT_BYTES = 1 << 20
_GRACE_SECONDS = 0.5


class Finished(NamedTuple):
    """A command that ran to its end. A negative ``returncode`` is the signal that ended it."""

    command: tuple[str, ...]
    returncode: int
    stdout: str
    stderr: str
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether the command ended with 0."""
        return self.returncode == 0

    def describe(self) -> str:
        """The command, how it ended, and both of its streams: the text of an error."""
        lines = [f"{shlex.join(self.command)}: {ending(self.returncode)}"]
        for name, text in (("stdout", self.stdout), ("stderr", self.stderr)):
            if text.strip():
                lines.append(f"  {name}:")
                lines += [f"    {line}" for line in text.rstrip().splitlines()]
        return "\n".join(lines)


def ending(returncode: int) -> str:
    """``exit code 2``, or ``killed by signal 9 (SIGKILL)``; a shell's 128 + N is read as signal N."""
    number = -returncode if returncode < 0 else returncode - 128
    if number <= 0:
        return f"exit code {returncode}"
    try:
        return f"killed by signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"exit code {returncode}"


def decoded(data: bytes) -> str:
    """Text of a tool in whatever encoding: what is not UTF-8 shows as escapes, nothing raises."""
    return data.decode("utf-8", "backslashreplace")


def read_capped(stream: IO[bytes], limit_bytes: int = KEPT_BYTES) -> str:
    """The text of an open file; of a longer one its beginning and its end, and how much is left out."""
    size_bytes = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    if size_bytes <= limit_bytes:
        return decoded(stream.read())
    half = limit_bytes // 2
    head = stream.read(half)
    stream.seek(size_bytes - half)
    return f"{decoded(head)}\n[... {size_bytes - 2 * half} bytes left out ...]\n{decoded(stream.read())}"


def run_command(
    command: Sequence[str | Path],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    timeout_seconds: float | None = None,
    kept_bytes: int = KEPT_BYTES,
) -> Finished:
    """Run ``command`` in a session of its own and return how it ended, whatever its exit code.

    Raises `ToolchainError` when the program cannot be started and `TimedOut` when it takes too
    long. After a time-out, Ctrl-C or any other exception every process of the session is gone.
    """
    words = tuple(str(word) for word in command)
    started = time.monotonic()
    # Files, not pipes: neither a grandchild that keeps a pipe open nor 200 MB of warnings matter.
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = None
        try:
            with _interrupts_held():
                process = _start(words, cwd, env, out, err)
            process.wait(timeout_seconds)
        except subprocess.TimeoutExpired:
            if process is not None:
                kill_session(process)
            raise TimedOut(
                f"{words[0]} did not end within {timeout_seconds:g} s and was stopped: {shlex.join(words)}",
                hint="Raise the time limit, or find out what it waits for.",
            ) from None
        except BaseException:
            if process is not None:
                kill_session(process)
            raise
        seconds = time.monotonic() - started
        stdout, stderr = read_capped(out, kept_bytes), read_capped(err, kept_bytes)
    return Finished(words, process.returncode, stdout, stderr, seconds)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Keep a Ctrl-C that comes while a process starts until its number is known."""
    usual = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or usual is None:
        yield
        return
    caught: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _frame: caught.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
        if caught:
            signal.raise_signal(signal.SIGINT)


def _start(
    words: tuple[str, ...],
    cwd: Path | None,
    env: Mapping[str, str] | None,
    out: IO[bytes],
    err: IO[bytes],
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            words,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
    except OSError as error:
        raise ToolchainError(
            f"cannot start {words[0]}: {error.strerror or error}",
            hint="Check that it is installed, executable, and that this user may start more processes.",
        ) from error


def kill_session(process: subprocess.Popen[bytes]) -> None:
    """End ``process`` and everything that it started, in other process groups too."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)  # lets ninja end its own children first
    with suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE_SECONDS)
    while members := _session_members(process.pid):
        for pid in members:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.005)
    with suppress(ProcessLookupError):
        process.kill()
    process.wait()


def _session_members(session: int) -> list[int]:
    """Live processes of a session, from /proc; empty where there is no /proc."""
    members: list[int] = []
    for entry in os.listdir("/proc") if os.path.isdir("/proc") else []:
        if not entry.isdigit():
            continue
        with suppress(OSError, ValueError, IndexError):
            with open(f"/proc/{entry}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
            if fields[0] not in (b"Z", b"X") and int(fields[3]) == session:
                members.append(int(entry))
    return members
