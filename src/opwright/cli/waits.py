"""What a supervised command waits for at the moment, and when its user is to hear of that."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

FIRST_SECONDS = 0.5
STILL_SECONDS = 5.0


@dataclass
class Wait:
    """One thing that was begun and is not over. It is told of at ``due``, and then ever more rarely."""

    what: str
    culprit: str
    asked_for: str
    told: bool
    since: float
    due: float = field(init=False)

    def __post_init__(self) -> None:
        """The first word comes when it is no longer quick."""
        self.due = self.since + FIRST_SECONDS

    def word(self, now: float) -> str:
        """What to say now; empty for nothing."""
        if not self.told or now < self.due:
            return ""
        seconds = now - self.since
        self.due = self.since + max(STILL_SECONDS, 2 * seconds)
        return self.what if seconds < STILL_SECONDS else f"still {self.what} ({seconds:.0f} s)"


class Waits:
    """Understands what comes through the channel. ``code`` is the one that the command ended with."""

    def __init__(self) -> None:
        self.code: int | None = None
        self._open: list[Wait] = []
        self._rest = b""

    def feed(self, data: bytes, now: float) -> None:
        """Take what arrived at ``now``, in seconds of whatever clock."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._take(json.loads(line), now)

    def words(self, now: float) -> Iterator[str]:
        """What is to be said of the innermost wait."""
        if self._open and (word := self._open[-1].word(now)):
            yield word

    @property
    def culprit(self) -> str:
        """The file that is being run; empty for none."""
        return next((wait.culprit for wait in reversed(self._open) if wait.culprit), "")

    @property
    def asked_for(self) -> str:
        """What the user has written for that; empty where nothing is looked for."""
        return next((wait.asked_for for wait in reversed(self._open) if wait.asked_for), "")

    def _take(self, message: dict[str, object], now: float) -> None:
        match message:
            case {"begin": str(what), "told": bool(told)}:
                names = str(message["culprit"]), str(message["asked_for"])
                self._open.append(Wait(what, *names, told, now))
            case {"end": what}:
                self._open = [wait for wait in self._open if wait.what != what]
                for wait in self._open[-1:]:  # what it waited for until now was the other
                    wait.since, wait.due = now, now + STILL_SECONDS
            case {"done": int(code)}:
                self.code = code
