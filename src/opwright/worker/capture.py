"""What a child prints, and what its fault handler says, kept in bounded space."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from opwright.worker.outcome import Output

KEPT_BYTES = 64 << 10
_PIECE_BYTES = 64 << 10
_DRAIN_BYTES = 4 << 20  # a stray process may print for ever

# Where torch's handler of fatal signals begins to write the native stacks to stderr.
_NATIVE_STACK = re.compile(r"^SIG[A-Z]+\(\d+\), PID: \d+, Thread \d+:", re.MULTILINE)


class Tail:
    """The last KEPT_BYTES of a stream."""

    def __init__(self) -> None:
        self._kept = bytearray()

    def add(self, data: bytes) -> None:
        """Append ``data`` and forget what is too old."""
        self._kept += data
        if len(self._kept) > 2 * KEPT_BYTES:
            del self._kept[:-KEPT_BYTES]

    def text(self) -> str:
        """Return what was kept; bytes that are no UTF-8 become escapes."""
        return bytes(self._kept[-KEPT_BYTES:]).decode(errors="backslashreplace")


@dataclass(frozen=True)
class WriteEnds:
    """The file descriptors on which the child writes."""

    stdout: int
    stderr: int
    fault: int


class Capture:
    """Three pipes out of one child: stdout, stderr, and one for the fault handler alone.

    Make it before the fork; then the parent calls :meth:`close_write_ends`, the child
    :meth:`close_read_ends`.
    """

    def __init__(self) -> None:
        pipes = [os.pipe() for _ in range(3)]
        self.read_ends = tuple(read for read, _ in pipes)
        self.write_ends = WriteEnds(*(write for _, write in pipes))
        for read in self.read_ends:
            os.set_blocking(read, False)
        self._tails = [Tail() for _ in pipes]

    def close_write_ends(self) -> None:
        """Leave writing to the child."""
        for write in (self.write_ends.stdout, self.write_ends.stderr, self.write_ends.fault):
            os.close(write)

    def close_read_ends(self) -> None:
        """Stop reading, or leave it to the parent."""
        for read in self.read_ends:
            os.close(read)

    def pump(self, read_end: int) -> bool:
        """Take one piece from ``read_end``; False when it will give no more."""
        try:
            data = os.read(read_end, _PIECE_BYTES)
        except BlockingIOError:
            return True
        self._tails[self.read_ends.index(read_end)].add(data)
        return bool(data)

    def drain(self) -> None:
        """Take what lies ready in all three pipes."""
        for read, tail in zip(self.read_ends, self._tails, strict=True):
            left = _DRAIN_BYTES
            while left > 0:
                try:
                    data = os.read(read, _PIECE_BYTES)
                except BlockingIOError:
                    break
                if not data:
                    break
                tail.add(data)
                left -= len(data)

    def fault(self) -> str:
        """Return what the fault handler has said so far."""
        return self._tails[2].text()

    def take(self) -> tuple[Output, str]:
        """Return what was printed and the stacks that were dumped, and begin afresh."""
        stdout, stderr, fault = (tail.text() for tail in self._tails)
        self._tails = [Tail() for _ in self._tails]
        native = _NATIVE_STACK.search(stderr)
        if native and fault:
            fault += stderr[native.start() :]
            stderr = stderr[: native.start()]
        return Output(stdout, stderr), fault
