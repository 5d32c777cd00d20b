"""Turn the output of a failed command into one short error that points into the user's file."""

from __future__ import annotations

import mmap
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
# nvcc's: its front end puts the line in brackets, and its driver has words of its own.
_IN_BRACKETS = re.compile(
    r"^(?P<where>.+?)\((?P<line>\d+)\): (?:catastrophic )?error(?: #[\w-]+)?: (?P<text>.*)$"
)
_DRIVERS = re.compile(r"^(?P<where>nvcc )(?:fatal|error)\s*: (?P<text>.*)$")
_FROM = re.compile(r"^(?:In file included from|\s+from) (?P<where>.+?):(?P<line>\d+)[:,]")
_REQUIRED = re.compile(r"^(?P<where>.+?):(?P<line>\d+)(?::\d+)?:\s+required from here")
_CLANG_REQUIRED = re.compile(r"^(?P<where>.+?):(?P<line>\d+)(?::\d+)?: note: in instantiation of")


class Explained(NamedTuple):
    """What a log tells. It is ``certain`` where it points at a line or a symbol of the user's."""

    what: str
    hint: str = ""
    certain: bool = True


class FirstError(NamedTuple):
    """The first error of a log: where, what, the lines that the compiler shows with it, how many more."""

    where: str
    line: int
    text: str
    excerpt: tuple[str, ...]
    users_place: str
    more: int


def raw_lines(log: Path) -> Iterator[bytes]:
    """The lines of a log of any size and encoding, one at a time, undecoded: there may be millions."""
    with log.open("rb") as file:
        while line := file.readline(_LONGEST_LINE_BYTES):
            yield line.rstrip(b"\r\n")


def mentions(log: Path, pattern: re.Pattern[bytes]) -> bool:
    """Whether a log of any size has the pattern in it."""
    if log.stat().st_size == 0:
        return False
    with log.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return pattern.search(content) is not None


def first_error(log: Path, is_users: Callable[[str], bool]) -> FirstError | None:
    """The first error in a compiler's output; None where there is none.

    An error inside a library's header also gets ``users_place``: the user's line that led there.
    """
    before: deque[bytes] = deque(maxlen=_CONTEXT_LINES)
    after: list[str] = []
    found: re.Match[str] | None = None
    more = 0
    for raw in raw_lines(log):
        match = _error_in(raw)
        if found is None:
            before.append(raw)
            found = match
        elif match is not None:
            more += 1
        elif more == 0 and len(after) < _CONTEXT_LINES:
            after.append(decoded(raw))
    if found is None:
        return None
    parts = found.groupdict()
    where = (parts["where"] or "").removesuffix(": ").strip()
    place = "" if is_users(where) else _users_place([*map(decoded, before), *after], is_users)
    excerpt = tuple(line for line in after if line.startswith(" "))[:_EXCERPT_LINES]
    return FirstError(where, int(parts.get("line") or 0), parts["text"], excerpt, place, more)


def _error_in(raw: bytes) -> re.Match[str] | None:
    # A regular expression takes much longer to say no.
    if b"rror" not in raw and not raw.startswith(b"nvcc fatal"):
        return None
    line = decoded(raw)
    patterns = (_ERROR, _IN_BRACKETS, _DRIVERS, _PLACELESS)
    return next((match for pattern in patterns if (match := pattern.match(line))), None)


def _users_place(lines: list[str], is_users: Callable[[str], bool]) -> str:
    for patterns in ((_REQUIRED, _CLANG_REQUIRED), (_FROM,)):
        for line in lines:
            for pattern in patterns:
                if (match := pattern.match(line)) and is_users(match["where"]):
                    return f"{match['where']}:{match['line']}"
    return ""
