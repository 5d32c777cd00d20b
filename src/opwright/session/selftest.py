"""Run the planted defects and the correct operators here, with the checks that users' operators get."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from opwright.checks.table import choose
from opwright.discovery import find_one
from opwright.errors import OpwrightError, StoreError, ToolchainError
from opwright.records.detection import Alarm, CorrectTrial, Detection, Trial
from opwright.records.run import CaseRecord
from opwright.session.checking import check_operator, checking
from opwright.session.graph_planted import graph_defects
from opwright.session.graph_selftest import (
    GRAPH,
    graphing_here,
    try_correct_graph,
    try_planted_graph,
)
from opwright.session.kept_state import kept_state
from opwright.session.planted import Defect, Expected, correct_folders, defects, lacking
from opwright.session.sanitizing import sanitizer_cases
from opwright.spec.target import HOST
from opwright.worker import Limits, Worker


@dataclass(frozen=True)
class Chosen:
    """What a self-test runs: ``checks`` by name, all for none; ``quick`` leaves out what has to be compiled.

    Among the checks `GRAPH` stands for what `opwright graph` finds.
    """

    checks: Sequence[str] = ()
    quick: bool = False

    def __post_init__(self) -> None:
        """Refuse unknown names with `UsageError`."""
        choose(self.of_calls)

    @property
    def of_calls(self) -> tuple[str, ...]:
        """The names of checks proper; none stands for all of them, where not for none but `GRAPH`."""
        return tuple(name for name in self.checks if name != GRAPH)

    @property
    def asks_checks(self) -> bool:
        """Whether any check proper is asked for."""
        return not self.checks or bool(self.of_calls)

    def defects(self, planted: Iterable[Defect]) -> list[Defect]:
        """The defects that one of the checks has to find."""
        return [
            defect
            for defect in planted
            if any(self.wants(expected.check) for expected in defect.expected)
            and self._may_run(defect.folder)
        ]

    def correct(self, folders: Iterable[Path]) -> list[Path]:
        """The correct operators."""
        return [folder for folder in folders if self._may_run(folder)]

    def wants(self, check: str) -> bool:
        """Whether the check is among the chosen ones."""
        return not self.checks or check in self.checks

    def _may_run(self, folder: Path) -> bool:
        if not self.quick:
            return True
        with kept_state():
            return find_one(str(folder)).spec.implementation == "callable"


@dataclass(frozen=True)
class Tried:
    """One of ``total`` operators has been tried, and how it went, in words."""

    number: int
    total: int
    name: str
    answer: str


def self_test(chosen: Chosen, tell: Callable[[Tried], None]) -> Detection:
    """Try every chosen defect and correct operator, one after the other in one worker, then graph modes."""
    folders = chosen.correct(correct_folders())
    planted = chosen.defects(defects()) if chosen.asks_checks else []
    graphs = graph_defects() if chosen.wants(GRAPH) else []
    counting = _Counting(tell, len(planted) + len(graphs) + len(folders))
    trials: list[Trial] = []
    alarms: dict[str, CorrectTrial] = {}
    if chosen.asks_checks:
        with checking(choose(chosen.of_calls)) as worker:
            for defect in planted:
                found = list(try_defect(worker, defect, chosen))
                trials += found
                counting.tell(defect.name, trials_in_words(found))
            for folder in folders:
                alarms[folder.name] = try_correct(worker, folder, chosen)
                if not graphs:
                    counting.tell_correct(alarms[folder.name])
    if graphs:
        with graphing_here() as worker:
            for graph_defect in graphs:
                found = [try_planted_graph(worker, graph_defect, quick=chosen.quick)]
                trials += found
                counting.tell(graph_defect.name, trials_in_words(found))
            for folder in folders:
                before = alarms.get(folder.name, CorrectTrial(folder.name))
                alarms[folder.name] = try_correct_graph(worker, folder, before)
                counting.tell_correct(alarms[folder.name])
    return Detection(tuple(trials), tuple(alarms.values()))


class _Counting:
    """Tells how far a self-test has come."""

    def __init__(self, tell: Callable[[Tried], None], total: int) -> None:
        self._tell, self._total, self._number = tell, total, 0

    def tell(self, name: str, answer: str) -> None:
        """One more is tried."""
        self._number += 1
        self._tell(Tried(self._number, self._total, name, answer))

    def tell_correct(self, trial: CorrectTrial) -> None:
        """One more correct operator is tried."""
        self.tell(trial.operator, "false alarm" if trial.alarms else trial.reason or "no finding")


def trials_in_words(found: Sequence[Trial]) -> str:
    """``mutation caught, numerics missed``."""
    return ", ".join(f"{trial.check} {trial.answer}" for trial in found)


def try_defect(worker: Worker, defect: Defect, chosen: Chosen) -> Iterator[Trial]:
    """Put one defect before each check that has to find it."""
    if reason := lacking(defect, HOST):
        for expected in defect.expected:
            if chosen.wants(expected.check):
                yield Trial(defect.name, expected.check, "not checkable", reason)
        return
    for expected in defect.expected:
        if chosen.wants(expected.check):
            with kept_state():
                trial = _tried(worker, defect, expected)
            yield trial


def try_correct(worker: Worker, folder: Path, chosen: Chosen) -> CorrectTrial:
    """Put a correct operator before the checks; whatever they find is a false alarm."""
    worker.limits = Limits()
    try:
        cases = cases_of(worker, folder, chosen.checks)
    except ToolchainError as error:
        return CorrectTrial(folder.name, reason=error.what)
    except StoreError:
        raise
    except OpwrightError as error:
        return CorrectTrial(folder.name, (Alarm(folder.name, "build", error.what),))
    alarms = [
        Alarm(folder.name, case.check, f"{case.name}: {said}")
        for case in cases
        if case.outcome.verdict in ("fail", "error")
        for said in [f.message for f in case.outcome.findings] or [case.outcome.reason]
    ]
    return CorrectTrial(folder.name, tuple(alarms))


def cases_of(worker: Worker, folder: Path, checks: Sequence[str]) -> tuple[CaseRecord, ...]:
    """What the checks say of one operator; none stands for all but the sanitizers, which have to be named."""
    operator = str(folder)
    described = find_one(operator)
    chosen = choose([name for name in checks if name != GRAPH])
    cases: tuple[CaseRecord, ...] = ()
    if plain := [check.name for check in chosen if check.build == "plain"]:
        cases = check_operator(worker, operator, described, HOST, only=plain).cases
    if any(check.build == "sanitized" for check in chosen):
        cases += sanitizer_cases(operator, described, HOST)
    return cases


def answered(defect: Defect, expected: Expected, cases: Sequence[CaseRecord]) -> Trial:
    """Whether the cases hold the finding that the defect states; if not, what they hold instead."""
    failing = [case for case in cases if case.outcome.verdict == "fail"]
    findings = [finding for case in failing for finding in case.outcome.findings]
    kinds = {finding.kind for finding in findings}
    said = any(all(part in finding.message for part in expected.says) for finding in findings)
    if said and kinds >= set(expected.kinds):
        return Trial(defect.name, expected.check, "caught")
    if failing:
        reason = f"found, in other words: {findings[0].kind}: {findings[0].message}"
        return Trial(defect.name, expected.check, "missed", reason)
    place = expected.only_where or ""
    relevant = [case for case in cases if place in case.name]
    if relevant and all(case.outcome.verdict == "not checked" for case in relevant):
        return Trial(defect.name, expected.check, "not checkable", relevant[0].outcome.reason)
    errors = [case.outcome.reason for case in cases if case.outcome.verdict == "error"]
    reason = errors[0] if errors else f"{len(cases)} cases, and none failed"
    return Trial(defect.name, expected.check, "missed", reason)


def _tried(worker: Worker, defect: Defect, expected: Expected) -> Trial:
    worker.limits = Limits(**defect.limits)
    try:
        cases = cases_of(worker, defect.folder, (expected.check,))
    except ToolchainError as error:
        return Trial(defect.name, expected.check, "not checkable", error.what)
    except StoreError:
        raise  # it will be the same for every defect
    except OpwrightError as error:
        return Trial(defect.name, expected.check, "missed", error.what)
    return answered(defect, expected, cases)
