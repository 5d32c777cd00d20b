"""Starts the zygote, in a fresh interpreter that sees the modules that this one sees."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from opwright.errors import WorkerError

_STOP_SECONDS = 15.0  # the zygote ends its child, which may sit in a driver call
_DYING_SECONDS = 1.0
_NOTE_BYTES = 4000


@dataclass(frozen=True)
class ZygoteProcess:
    """A running zygote: its process, the connection to it, and the file that it complains to."""

    process: subprocess.Popen[bytes]
    connection: socket.socket
    complaints: IO[bytes]

    def last_words(self) -> str:
        """Return how the process ended and the end of what it wrote."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(_DYING_SECONDS)
        code = self.process.returncode
        if code is None:
            how = "it still runs"
        elif code < 0:
            how = f"it was killed by signal {-code}"
        else:
            how = f"it left with exit code {code}"
        size_bytes = self.complaints.seek(0, os.SEEK_END)
        self.complaints.seek(max(0, size_bytes - _NOTE_BYTES))
        text = self.complaints.read().decode(errors="backslashreplace").strip()
        return f"{how}\n{text}" if text else how

    def stop(self, *, at_once: bool = False) -> None:
        """Hang up, and wait until the process and all that it started are gone.

        ``at_once`` is for a zygote that has no child and does not listen yet.
        """
        self.connection.close()
        try:
            self.process.wait(0 if at_once else _STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        except BaseException:  # a second Ctrl-C: the kernel ends the child with its parent
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            raise
        finally:
            self.complaints.close()


def start_zygote(environment: Mapping[str, str] | None) -> ZygoteProcess:
    """Start a zygote with ``environment`` on top of this process's own.

    Raises WorkerError if no process can be started.
    """
    if not sys.executable:
        raise WorkerError(
            "cannot start a worker: this Python does not know its own executable",
            hint="Run Opwright from a python command, not from an embedded interpreter.",
        )
    ours, theirs = socket.socketpair()
    complaints = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the zygote
    try:
        process = subprocess.Popen(
            [sys.executable, "-c", _program(), str(theirs.fileno())],
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=complaints,
            stderr=complaints,
            pass_fds=(theirs.fileno(),),
            start_new_session=True,
        )
    except OSError as error:
        ours.close()
        complaints.close()
        raise WorkerError(
            f"cannot start a worker process: {error}",
            hint="Check the limits on processes and memory (ulimit -a).",
        ) from error
    finally:
        theirs.close()
    return ZygoteProcess(process, ours, complaints)


def _program() -> str:
    """Return the interpreter's program: ``-m opwright.worker`` with this process's module path.

    ``-m`` itself would put the working directory first, where a user's ``random.py`` may lie, and
    would not find an Opwright that is on ``sys.path`` only.
    """
    # What is no path belongs to an import hook.
    path = [str(Path(entry).absolute()) if Path(entry).exists() else entry for entry in sys.path]
    return (
        f"import sys; sys.path[:] = {path!r}; "
        "import runpy; runpy.run_module('opwright.worker', run_name='__main__', alter_sys=True)"
    )
