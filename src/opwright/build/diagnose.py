"""Turn the output of a failed command into one short error that points into the user's file."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from opwright.process import decoded

_LONGEST_LINE_BYTES = 1 << 16
_CONTEXT_LINES = 40
_EXCERPT_LINES = 6

_ERROR = re.compile(r"^(?P<where>.+?):(?P<line>\d+)(?::\d+)?: (?:fatal )?error: (?P<text>.*)$")
_PLACELESS = re.compile(r"^(?P<where>[^\s:]+: )?(?:fatal )?error: (?P<text>.*)$", re.IGNORECASE)
_FROM = re.compile(r"^(?:In file included from|\s+from) (?P<where>.+?):(?P<line>\d+)[:,]")
_REQUIRED = re.compile(r"^(?P<where>.+?):(?P<line>\d+)(?::\d+)?:\s+required from here")
_CLANG_REQUIRED = re.compile(r"^(?P<where>.+?):(?P<line>\d+)(?::\d+)?: note: in instantiation of")
KILLED = re.compile(
    r"Killed signal terminated program (\w+)|internal compiler error: Killed|^Killed$"
)


class FirstError(NamedTuple):
    """The first error of a log: where, what, the lines that the compiler shows with it, how many more."""

    where: str
    line: int
    text: str
    excerpt: tuple[str, ...]
    users_place: str
    more: int


def log_lines(log: Path) -> Iterator[str]:
    """The lines of a log of any size and encoding, one at a time."""
    with log.open("rb") as file:
        while line := file.readline(_LONGEST_LINE_BYTES):
            yield decoded(line).rstrip("\r\n")


def first_error(log: Path, is_users: Callable[[str], bool]) -> FirstError | None:
    """The first error in a compiler's output; None where there is none.

    An error inside a library's header also gets ``users_place``: the user's line that led there.
    """
    before: deque[str] = deque(maxlen=_CONTEXT_LINES)
    found: re.Match[str] | None = None
    excerpt: list[str] = []
    after: list[str] = []
    more = 0
    for line in log_lines(log):
        match = _ERROR.match(line) or _PLACELESS.match(line)
        if found is None:
            before.append(line)
            found = match
            continue
        more += match is not None
        if match is None and more == 0:
            after.append(line) if len(after) < _CONTEXT_LINES else None
            if line.startswith(" ") and len(excerpt) < _EXCERPT_LINES:
                excerpt.append(line)
    if found is None:
        return None
    parts = found.groupdict()
    where = (parts["where"] or "").removesuffix(": ")
    place = "" if is_users(where) else _users_place([*before, *after], is_users)
    return FirstError(
        where, int(parts.get("line") or 0), parts["text"], tuple(excerpt), place, more
    )


def _users_place(lines: list[str], is_users: Callable[[str], bool]) -> str:
    for patterns in ((_REQUIRED, _CLANG_REQUIRED), (_FROM,)):
        for line in lines:
            for pattern in patterns:
                if (match := pattern.match(line)) and is_users(match["where"]):
                    return f"{match['where']}:{match['line']}"
    return ""
