"""What a supervised command tells the process that watches it: what it waits for, and that it is done."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import Any


class Channel:
    """The write end of a pipe; nothing is said by processes that are forked later."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._pid = os.getpid()

    def begin(self, what: str, *, told: bool, culprit: str = "", asked_for: str = "") -> None:
        """A wait begins; ``told`` says whether a user wants to hear of it."""
        self._say({"begin": what, "told": told, "culprit": culprit, "asked_for": asked_for})

    def end(self, what: str) -> None:
        """A wait is over."""
        self._say({"end": what})

    def done(self, code: int) -> None:
        """The command has come to its end."""
        self._say({"done": code})

    def _say(self, message: dict[str, Any]) -> None:
        if os.getpid() == self._pid:
            with suppress(OSError):  # a description may close what it likes
                os.write(self._descriptor, json.dumps(message).encode() + b"\n")


_channel: Channel | None = None


def open_channel(descriptor: int) -> Channel:
    """From now on this process tells its watcher on ``descriptor``."""
    global _channel  # noqa: PLW0603 - a process has one watcher
    _channel = Channel(descriptor)
    return _channel


def pass_on(kind: str, message: str, facts: dict[str, Any], *, told: bool) -> None:
    """Pass a wait that was logged (`opwright.log.waiting`) on to the watcher, where there is one."""
    if _channel is None:
        return
    if kind == "wait.begin":
        culprit, asked_for = str(facts.get("culprit", "")), str(facts.get("asked_for", ""))
        _channel.begin(message, told=told, culprit=culprit, asked_for=asked_for)
    elif kind == "wait.end":
        _channel.end(message)
