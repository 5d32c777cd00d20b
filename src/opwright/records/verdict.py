"""What a check can say of a case, and what it saw."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Verdict = Literal["pass", "fail", "not checked", "error"]
VERDICTS: tuple[Verdict, ...] = ("pass", "fail", "not checked", "error")


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with an operator. ``kind`` names it in few words, stable over versions."""

    kind: str
    message: str
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """What a check found on one case. Anything but a pass says why, in ``reason`` or ``findings``."""

    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    reason: str = ""
    figures: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


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
