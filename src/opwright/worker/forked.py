"""A child process as the process that forks it sees it."""

from __future__ import annotations

import os
import socket
import warnings
from dataclasses import dataclass, field

from opwright.running import Note, note_here
from opwright.worker import strays
from opwright.worker.capture import Capture
from opwright.worker.child import be_child
from opwright.worker.memory import held_bytes, kills_for_memory
from opwright.worker.wire import Reader


@dataclass
class Child:
    """A forked process: where to talk to it, what it prints, and how far it has come."""

    pid: int
    connection: socket.socket
    capture: Capture
    memory_bytes: int
    born_with_bytes: int
    kills_before: int
    note: Note
    answered: int = 0
    requests: int = 0
    reader: Reader = field(default_factory=Reader)

    def dead(self) -> bool:
        """Say whether the process has ended; it stays a zombie, so that its group can be killed."""
        try:
            flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
            return os.waitid(os.P_PID, self.pid, flags) is not None
        except ChildProcessError:
            return True

    def added_bytes(self) -> int:
        """Return the memory that the process holds beyond what it was born with."""
        return held_bytes(self.pid) - self.born_with_bytes

    def discard(self) -> int | None:
        """End the process with all that it started; return its wait status, None if it lives on."""
        status = strays.end(self.pid)
        self.capture.drain()
        self.capture.close_read_ends()
        self.connection.close()
        return status


def fork_child(memory_bytes: int, inherited: socket.socket) -> Child:
    """Fork a child that waits for a setup; it gives up ``inherited``, which is this process's own.

    Raises OSError where no process or pipe can be had.
    """
    ours, theirs = socket.socketpair()
    capture = Capture()
    note = Note()
    parent_pid = os.getpid()
    kills_before = kills_for_memory()
    with warnings.catch_warnings():
        # Newer Pythons warn of forks beside threads. The only threads that an import starts here
        # are those of OpenBLAS, which ends them before a fork and restarts them on demand.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        ours.close()
        inherited.close()
        capture.close_read_ends()
        note_here(note)
        be_child(theirs, capture.write_ends, memory_bytes, parent_pid)
    theirs.close()
    capture.close_write_ends()
    ours.setblocking(False)
    return Child(pid, ours, capture, memory_bytes, held_bytes(pid), kills_before, note)
