"""What a description may change of the process that runs it, put back when it has run."""

from __future__ import annotations

import ctypes
import fcntl
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress

from opwright.log import log

_STDOUT, _STDERR = 1, 2
_HIGH = 64  # out of the way of who closes the first descriptors one by one


@contextmanager
def undisturbed(who: str) -> Iterator[None]:
    """What the block prints goes to standard error: results go to standard output.

    Afterwards both streams are open and the working directory is the one before; ``who`` is named in
    the log where that had to be put right.
    """
    with _same_folder(who), _same_streams():
        yield


@contextmanager
def _same_streams() -> Iterator[None]:
    kept = {stream: _copy(stream) for stream in (_STDOUT, _STDERR)}
    _flush()
    if kept[_STDERR] is not None:
        os.dup2(_STDERR, _STDOUT)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _flush()
        for stream, copy in kept.items():
            if copy is not None:
                with suppress(OSError):  # whoever has closed all descriptors closed these
                    os.dup2(copy, stream)
                    os.close(copy)


@contextmanager
def _same_folder(who: str) -> Iterator[None]:
    try:
        before = os.open(".", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:  # it is there no more
        yield
        return
    try:
        yield
    finally:
        with suppress(OSError):
            if not os.path.samestat(os.fstat(before), os.stat(".")):
                os.fchdir(before)
                log("description.moved", f"{who} changed the working directory; it is changed back")
            os.close(before)


def _copy(descriptor: int) -> int | None:
    try:
        return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _HIGH)
    except OSError:  # closed
        return None


def _flush() -> None:
    """Write out what Python and C have not yet written."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    ctypes.pythonapi.fflush(None)
