"""Whose code a process is running, noted where who forked it can read that when the process has ended."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from contextlib import contextmanager

_IN_REFERENCE, _OPERATOR_RAN = 0, 1


class Note:
    """Two bytes that a process shares with those that it forks from then on."""

    def __init__(self) -> None:
        self._shared = mmap.mmap(-1, 2)

    @property
    def in_reference(self) -> bool:
        """Whether the reference is being run."""
        return bool(self._shared[_IN_REFERENCE])

    @property
    def operator_ran(self) -> bool:
        """Whether the operator has been called: what crashes later may be its doing."""
        return bool(self._shared[_OPERATOR_RAN])

    def set(self, place: int, value: int) -> None:
        """Write one of the bytes."""
        self._shared[place] = value


_note: Note | None = None


def note_here(note: Note) -> None:
    """From now on this process writes on ``note``."""
    global _note  # noqa: PLW0603 - a process has one
    _note = note


@contextmanager
def running_reference() -> Iterator[None]:
    """The reference runs inside the block."""
    _write(_IN_REFERENCE, 1)
    try:
        yield
    finally:
        _write(_IN_REFERENCE, 0)


def operator_runs() -> None:
    """The operator is about to be called."""
    _write(_OPERATOR_RAN, 1)


def _write(place: int, value: int) -> None:
    if _note is not None:
        _note.set(place, value)
