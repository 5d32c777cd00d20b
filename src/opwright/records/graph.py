"""What became of operators inside graphs: four answers for every arrangement that was tried."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from opwright.records.json_file import write_json
from opwright.records.run import worst
from opwright.records.verdict import Finding, Verdict, cut

GRAPH_VERSION = 1
QUESTIONS = ("equal", "in_graph", "captured", "fused")
# What a pass rests on. No pass says that something was fused: only a device's profile could.
_NEEDED = ("equal", "in_graph", "captured")


@dataclass(frozen=True)
class Answer:
    """The answer to one question. Anything but a pass says why, and a pass says what it rests on."""

    verdict: Verdict
    reason: str = ""

    def __post_init__(self) -> None:
        """Cut a reason that is too long, as findings are."""
        object.__setattr__(self, "reason", cut(self.reason))


@dataclass(frozen=True)
class GraphTrial:
    """One arrangement of the operator in one graph: alone, in series, or joined with companions.

    ``how`` says in which way it was made a graph and run (``replayed``, ``dynamic`` ...), ``stage``
    how far it came, ``replays`` how many results were compared. ``facts`` are what was counted on the way.
    """

    arrangement: str
    how: str
    case: str
    equal: Answer
    in_graph: Answer
    captured: Answer
    fused: Answer
    findings: tuple[Finding, ...] = ()
    replays: int = 0
    stage: str = ""
    seconds: float = 0.0
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def verdict(self) -> Verdict:
        """A fault weighs most; a pass takes equal outputs of an operator that was in the graph."""
        answers = [getattr(self, name).verdict for name in _NEEDED]
        if self.findings or "fail" in answers:
            return "fail"
        return worst(answers)


@dataclass(frozen=True)
class GraphedOperator:
    """One operator on one target in one graph mode.

    ``compared`` says how outputs were held against each other. ``not_run`` says why there is no trial,
    empty where there is one. ``emitted`` are the files that were written, ``not_emitted`` why there are none.
    """

    name: str
    schema: str
    implementation: str
    location: str
    target: str
    label: str
    mode: str
    compared: str
    trials: tuple[GraphTrial, ...] = ()
    not_run: str = ""
    artifact: dict[str, Any] = field(default_factory=dict)
    emitted: tuple[str, ...] = ()
    not_emitted: str = ""

    @property
    def verdict(self) -> Verdict:
        """That of its trials. A companion that cannot be joined to it takes nothing from a pass.

        The first trial of each case does: there the operator is alone.
        """
        firsts: dict[str, GraphTrial] = {}
        for trial in self.trials:
            firsts.setdefault(trial.case, trial)
        verdicts = [
            t.verdict for t in self.trials if t is firsts[t.case] or t.verdict != "not checked"
        ]
        return worst(verdicts)


@dataclass(frozen=True)
class GraphRecord:
    """Everything that one run of `opwright graph` saw."""

    opwright: str
    command: str
    started_at: str
    environment: dict[str, Any]
    operators: tuple[GraphedOperator, ...]
    version: int = GRAPH_VERSION
    kind: str = field(default="graph", init=False)


def write_graph_record(record: GraphRecord, path: Path) -> None:
    """Write it, whole or not at all. Raises `RecordError` when the place cannot be written."""
    plain = asdict(record)
    for written, operator in zip(plain["operators"], record.operators, strict=True):
        written["verdict"] = operator.verdict
        for each, trial in zip(written["trials"], operator.trials, strict=True):
            each["verdict"] = trial.verdict
    write_json(path, plain)


def trial_from_json(data: dict[str, Any]) -> GraphTrial:
    """The trial that `dataclasses.asdict` made plain."""
    answers = {name: Answer(**data[name]) for name in QUESTIONS}
    return GraphTrial(**{**data, **answers, "findings": findings_from_json(data["findings"])})


def findings_from_json(data: Iterable[dict[str, Any]]) -> tuple[Finding, ...]:
    """Findings that were made plain."""
    return tuple(Finding(**item) for item in data)
