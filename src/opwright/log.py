"""Log meaning, not looks: library code calls :func:`log`; whoever runs it decides what a reader sees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

Sink = Callable[[str, str, dict[str, Any]], None]


def _silent(kind: str, message: str, facts: dict[str, Any]) -> None:
    """The default: a library says nothing."""


_sink: ContextVar[Sink] = ContextVar("opwright_log_sink", default=_silent)


def log(kind: str, message: str, **facts: Any) -> None:
    """Report that something of ``kind`` (``"build.hit"``, ``"lock.wait"``, ...) happened."""
    _sink.get()(kind, message, facts)


@contextmanager
def logging_to(sink: Sink) -> Iterator[None]:
    """Send what is logged inside the block to ``sink``."""
    token = _sink.set(sink)
    try:
        yield
    finally:
        _sink.reset(token)


@contextmanager
def waiting(what: str, **facts: Any) -> Iterator[None]:
    """Report that ``what`` (``"running op.py"``) begins, and that it is over: it may take long, or for ever."""
    log("wait.begin", what, **facts)
    try:
        yield
    finally:
        log("wait.end", what)
