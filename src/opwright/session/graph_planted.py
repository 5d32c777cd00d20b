"""Operators with one deliberate fault that shows in a graph mode, and what has to be said of each.

They lie beside the other planted faults (`opwright.session.planted`), in ``graph_defects``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from opwright.errors import OpwrightError, StoreError
from opwright.records.detection import Answer
from opwright.records.graph import GraphTrial
from opwright.session import planted
from opwright.session.graph_asked import GraphAsked
from opwright.session.graph_run import GraphRun, graph_operators
from opwright.spec.target import Target, parse_target
from opwright.worker import Worker

_SECONDS = 120.0


@dataclass(frozen=True)
class Stated:
    """A finding that has to be given, with parts of its message, and what may be found beside it."""

    kind: str
    says: tuple[str, ...]
    how: str
    other_kinds: tuple[str, ...] = ()


@dataclass(frozen=True)
class GraphDefect:
    """An operator folder with ``op.py`` and ``finding.json``: the fault, and where it shows.

    ``target`` is one that needs no device. ``on_a_gpu`` is what is found there, where that is not ``stated``.
    ``seconds`` are the limit of its trial, ``seconds_on_a_gpu`` there, where a process takes long to set up.
    ``torch`` is the first PyTorch with which it is a fault: older ones do not look inside.
    """

    folder: Path
    fault: str
    mode: str
    target: Target
    stated: tuple[Stated, ...]
    on_a_gpu: tuple[Stated, ...]
    seconds: float
    seconds_on_a_gpu: float
    torch: str = ""

    @property
    def name(self) -> str:
        """The folder's name, which says the fault."""
        return self.folder.name

    @property
    def how(self) -> str:
        """All findings of an operator are of one trial."""
        (how,) = {finding.how for finding in self.stated}
        return how

    def stated_on(self, target: Target) -> tuple[Stated, ...]:
        """What has to be found on a target."""
        on_a_gpu = self.on_a_gpu if target.device_type == "cuda" else ()
        return on_a_gpu or self.stated

    def seconds_on(self, target: Target) -> float:
        """How long its trial may take on a target."""
        return self.seconds_on_a_gpu if target.device_type == "cuda" else self.seconds


@dataclass(frozen=True)
class Tried:
    """What became of one: ``answer`` with its ``reason``, and all kinds of finding that were given."""

    answer: Answer
    reason: str = ""
    kinds: tuple[str, ...] = ()


class Silent:
    """A watcher that says nothing."""

    def begin(self, operator: str, trials: int) -> None:
        """Say nothing."""

    def trial(self, trial: GraphTrial) -> None:
        """Say nothing."""


def graph_defects() -> list[GraphDefect]:
    """Every one, by name."""
    found = sorted((planted.planted_folder() / "graph_defects").glob("*/finding.json"))
    return [read_graph_defect(path.parent) for path in found]


def read_graph_defect(folder: Path) -> GraphDefect:
    """The one that a folder's ``finding.json`` states."""
    plain = json.loads((folder / "finding.json").read_text(encoding="utf-8"))
    return GraphDefect(
        folder,
        plain["fault"],
        plain["mode"],
        parse_target(plain["target"]),
        _stated(plain["findings"]),
        _stated(plain.get("on_a_gpu", ())),
        plain.get("seconds", _SECONDS),
        plain.get("seconds_on_a_gpu", _SECONDS),
        plain.get("torch", ""),
    )


def try_graph_defect(worker: Worker, defect: GraphDefect, target: Target) -> Tried:
    """Make the trial that has to show the fault. ``worker`` is that of `graph_run.graphing`.

    Raises `StoreError`.
    """
    if defect.torch and _release(version("torch")) < _release(defect.torch):
        return Tried("not checkable", f"it is a fault from PyTorch {defect.torch} on")
    asked = GraphAsked(
        target,
        (defect.mode,),
        alone=True,
        hows=(defect.how,),
        seconds=defect.seconds_on(target),
    )
    run = GraphRun()
    try:
        graph_operators(run, worker, [str(defect.folder)], asked, Silent())
    except StoreError:
        raise  # it will be the same for every fault
    except OpwrightError as error:
        run.errors.append(error)
    if run.errors:
        return Tried("missed", run.errors[0].what)
    (operator,) = run.operators
    if operator.not_run:
        return Tried("not checkable", operator.not_run)
    (trial,) = operator.trials
    return answered(defect.stated_on(target), trial)


def _release(text: str) -> tuple[int, ...]:
    """The first two numbers of a version."""
    return tuple(int(part) for part in text.split(".")[:2])


def answered(stated: Iterable[Stated], trial: GraphTrial) -> Tried:
    """Whether a trial holds the findings that are stated; if not, what it holds instead."""
    said = {finding.kind: finding.message for finding in trial.findings}
    kinds = tuple(said)
    for one in stated:
        lacking = [words for words in one.says if words not in said.get(one.kind, "")]
        if one.kind not in said or lacking:
            told = "; ".join(f"{kind}: {message}" for kind, message in said.items())
            reason = f"found, in other words: {told}" if said else f"equal: {trial.equal.reason}"
            return Tried("missed", reason, kinds)
    return Tried("caught", kinds=kinds)


def _stated(findings: Iterable[dict[str, Any]]) -> tuple[Stated, ...]:
    return tuple(
        Stated(f["kind"], tuple(f["says"]), f["how"], tuple(f.get("other_kinds", ())))
        for f in findings
    )
