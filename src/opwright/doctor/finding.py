"""What the doctor found: plain data that a terminal, a program or a test can read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from opwright.spec.target import ARCHITECTURES

Status = Literal["ok", "missing", "problem", "not checked"]

SCHEMA_VERSION = 1
TARGETS = tuple(ARCHITECTURES)


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    ``what`` is one sentence on what is there; ``fix`` says what to do when it is not as it should be.
    ``needed_for`` names the abilities that depend on it: ``"build cpu"``, ``"run cuda"``.
    """

    subject: str
    status: Status
    what: str
    fix: str = ""
    needed_for: tuple[str, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Ability:
    """Whether operators for ``target`` can be built, or run, here: ``yes``, ``no``, ``not checked``.

    ``because`` gives, for anything but ``yes``, the findings that stand against it.
    """

    target: str
    action: Literal["build", "run"]
    answer: Literal["yes", "no", "not checked"]
    because: tuple[str, ...] = ()


@dataclass(frozen=True)
class Diagnosis:
    """Everything that one examination found."""

    quick: bool
    findings: tuple[Finding, ...]

    @property
    def abilities(self) -> tuple[Ability, ...]:
        """For each target: can it be built, can it be run."""
        actions: tuple[Literal["build", "run"], ...] = ("build", "run")
        return tuple(self.ability(target, action) for target in TARGETS for action in actions)

    def ability(self, target: str, action: Literal["build", "run"]) -> Ability:
        """``no`` when a needed thing is missing or faulty; ``yes`` only when all was looked at."""
        name = f"{action} {target}"
        needed = [finding for finding in self.findings if name in finding.needed_for]
        against = tuple(_reasons(needed, ("missing", "problem")))
        if against:
            return Ability(target, action, "no", against)
        unknown = tuple(_reasons(needed, ("not checked",)))
        if unknown or not needed:
            return Ability(target, action, "not checked", unknown)
        return Ability(target, action, "yes")

    def as_json(self) -> dict[str, Any]:
        """The same as plain JSON values; ``schema_version`` grows when a field changes its meaning."""
        return {
            "schema_version": SCHEMA_VERSION,
            "quick": self.quick,
            "abilities": [asdict(ability) for ability in self.abilities],
            "findings": [asdict(finding) for finding in self.findings],
        }


def _reasons(findings: Iterable[Finding], statuses: tuple[Status, ...]) -> list[str]:
    return [f"{entry.subject}: {entry.what}" for entry in findings if entry.status in statuses]
