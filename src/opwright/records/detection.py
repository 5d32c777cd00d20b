"""What a self-test saw: which planted defects the checks caught on this machine, and which false alarms rang."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

Answer = Literal["caught", "missed", "not checkable"]
ANSWERS: tuple[Answer, ...] = ("caught", "missed", "not checkable")


@dataclass(frozen=True)
class Trial:
    """One planted defect before one check that has to find it; ``reason`` says why it did not."""

    defect: str
    check: str
    answer: Answer
    reason: str = ""


@dataclass(frozen=True)
class Alarm:
    """A finding on a correct operator."""

    operator: str
    check: str
    message: str


@dataclass(frozen=True)
class CorrectTrial:
    """A correct operator before the checks. ``reason`` says why none could be run, where none could."""

    operator: str
    alarms: tuple[Alarm, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class Detection:
    """One self-test."""

    trials: tuple[Trial, ...]
    correct: tuple[CorrectTrial, ...]

    @property
    def alarms(self) -> list[Alarm]:
        """Every finding on a correct operator."""
        return [alarm for trial in self.correct for alarm in trial.alarms]

    @property
    def false_alarms(self) -> int:
        """How many correct operators got a finding."""
        return sum(bool(trial.alarms) for trial in self.correct)

    def by_defect(self) -> dict[str, Answer]:
        """The worst answer of each defect's checks; one that no check could try is not checkable."""
        found: dict[str, set[Answer]] = {}
        for trial in self.trials:
            found.setdefault(trial.defect, set()).add(trial.answer)
        order: tuple[Answer, ...] = ("missed", "caught", "not checkable")
        return {
            name: next(answer for answer in order if answer in seen) for name, seen in found.items()
        }

    def by_check(self) -> dict[str, dict[Answer, int]]:
        """Counts of answers by check, in the order in which the checks were first tried."""
        checks = dict.fromkeys(trial.check for trial in self.trials)
        return {c: count(t.answer for t in self.trials if t.check == c) for c in checks}

    def totals(self) -> dict[str, int]:
        """How many operators: planted, checkable here, caught, missed; correct, with false alarms."""
        answers = count(self.by_defect().values())
        tried = [trial for trial in self.correct if not trial.reason]
        return {
            "planted": sum(answers.values()),
            "checkable": answers["caught"] + answers["missed"],
            "caught": answers["caught"],
            "missed": answers["missed"],
            "correct_operators": len(tried),
            "false_alarms": self.false_alarms,
        }

    def to_json(self) -> dict[str, Any]:
        """Plain data: the totals first, then every trial."""
        return {"version": 1, "kind": "selftest", **self.totals(), **asdict(self)}


def count(answers: Iterable[Answer]) -> dict[Answer, int]:
    """How many of each answer."""
    listed = list(answers)
    return {answer: listed.count(answer) for answer in ANSWERS}
