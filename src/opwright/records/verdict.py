"""What a check can say of a case, and what it saw."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

_MOST_CHARACTERS = 4000  # of an operator's words
_MARK_CHARACTERS = 200  # what a mark and words before it may add
Verdict = Literal["pass", "fail", "not checked", "error"]
VERDICTS: tuple[Verdict, ...] = ("pass", "fail", "not checked", "error")


def cut(text: str) -> str:
    """The text, without what makes it too long to be read; a mark says how much that was."""
    more = len(text) - _MOST_CHARACTERS
    if more <= _MARK_CHARACTERS:  # a text that was cut before is as it is
        return text
    return f"{text[:_MOST_CHARACTERS]} [cut: {more:,} more characters]"


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with an operator. ``kind`` names it in few words, stable over versions.

    Exceptions have messages of any length: those in a finding are cut.
    """

    kind: str
    message: str
    details: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Cut what is too long."""
        details = {
            name: cut(value) if isinstance(value, str) else value
            for name, value in self.details.items()
        }
        object.__setattr__(self, "message", cut(self.message))
        object.__setattr__(self, "details", details)


@dataclass(frozen=True)
class Outcome:
    """What a check found on one case. Anything but a pass says why, in ``reason`` or ``findings``."""

    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    reason: str = ""
    figures: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Cut a reason that is too long, as findings are."""
        object.__setattr__(self, "reason", cut(self.reason))


def passed(figures: dict[str, Any] | None = None, notes: tuple[str, ...] = ()) -> Outcome:
    """The case was run and is right."""
    return Outcome("pass", figures=figures or {}, notes=notes)


def failed(*findings: Finding, figures: dict[str, Any] | None = None) -> Outcome:
    """The case was run and shows faults."""
    return Outcome("fail", findings=findings, figures=figures or {})


def not_checked(reason: str) -> Outcome:
    """The case was not run, or what it showed proves nothing."""
    return Outcome("not checked", reason=reason)


def errored(reason: str) -> Outcome:
    """The case could not be judged because of something other than the operator."""
    return Outcome("error", reason=reason)
