"""Everything one run of checks saw, as versioned JSON. ``record.schema.json`` beside this file is its schema."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from opwright.errors import RecordError
from opwright.records.json_file import write_json
from opwright.records.verdict import VERDICTS, Finding, Outcome, Verdict

RECORD_VERSION = 1
RECORD_KIND = "check"
_DERIVED = ("verdict", "counts", "checks")  # written for readers, and computed anew when read


@dataclass(frozen=True)
class CaseRecord:
    """One case: what was called, and what came of it.

    ``shrunk`` is the simplest case that was found to fail in the same way, empty for none;
    ``reproduction`` is a program in Python that shows the fault.
    """

    check: str
    name: str
    case: dict[str, Any]
    outcome: Outcome
    seconds: float
    shrunk: dict[str, Any] = field(default_factory=dict)
    reproduction: str = ""


@dataclass(frozen=True)
class OperatorRecord:
    """One operator on one target: what it is, which binary was run, and every case.

    ``unplanned`` holds the checks that had no case for it, each with the reason. They were not checked,
    and count in the verdict only where nothing else was. ``unclaimed`` holds what such a run can say
    nothing of, whatever it finds, each with the reason.
    """

    name: str
    schema: str
    implementation: str
    location: str
    sources_digest: str
    target: str
    label: str
    artifact: dict[str, Any]
    cases: tuple[CaseRecord, ...]
    seconds: float
    unplanned: dict[str, str] = field(default_factory=dict)
    unclaimed: dict[str, str] = field(default_factory=dict)

    @property
    def verdict(self) -> Verdict:
        """The worst of the checks' verdicts: fail, then error, then not checked."""
        checks = self.checks()
        return worst(checks[name] for name in checks if name not in self.unplanned)

    def checks(self) -> dict[str, Verdict]:
        """The verdict of every check that was asked for; those without a case come last."""
        found: dict[str, list[Verdict]] = {}
        for case in self.cases:
            found.setdefault(case.check, []).append(case.outcome.verdict)
        checks = {name: check_verdict(verdicts) for name, verdicts in found.items()}
        return {**checks, **dict.fromkeys(self.unplanned, check_verdict(()))}

    def counts(self) -> dict[Verdict, int]:
        """How many cases have each verdict."""
        counted = Counter(case.outcome.verdict for case in self.cases)
        return {verdict: counted[verdict] for verdict in VERDICTS}


@dataclass(frozen=True)
class Record:
    """One run over any number of operators."""

    opwright: str
    command: str
    started_at: str
    environment: dict[str, Any]
    operators: tuple[OperatorRecord, ...]
    version: int = RECORD_VERSION
    kind: str = field(default=RECORD_KIND, init=False)

    def to_json(self) -> dict[str, Any]:
        """Plain data, as the schema describes it."""
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self), default=str))
        for operator, record in zip(plain["operators"], self.operators, strict=True):
            operator["verdict"] = record.verdict
            operator["counts"] = record.counts()
            operator["checks"] = record.checks()
        return plain


def check_verdict(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict of one check from its cases': a pass needs one, and no failure and no error."""
    present = set(verdicts)
    order: tuple[Verdict, ...] = ("fail", "error", "pass")
    return next((verdict for verdict in order if verdict in present), "not checked")


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict of a whole from those of its parts; nothing at all proves nothing."""
    present = set(verdicts)
    order: tuple[Verdict, ...] = ("fail", "error", "not checked", "pass")
    return next((verdict for verdict in order if verdict in present), "not checked")


def write_record(record: Record, path: Path) -> None:
    """Write the record, whole or not at all. Raises `RecordError` when the place cannot be written."""
    write_json(path, record.to_json())


def read_record(path: Path) -> Record:
    """The record in a file. Raises `RecordError` for anything else, and for other versions."""
    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
        kind, version = plain["kind"], plain["version"]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise RecordError(
            f"{path} is not a record: {error}", hint="Make one with --json."
        ) from error
    if (kind, version) != (RECORD_KIND, RECORD_VERSION):
        raise RecordError(
            f"{path} is a {kind} record of version {version}; this reads a {RECORD_KIND} record of "
            f"version {RECORD_VERSION}",
            hint="Make one with opwright check --json.",
        )
    operators = tuple(_operator(item) for item in plain["operators"])
    return Record(
        plain["opwright"], plain["command"], plain["started_at"], plain["environment"], operators
    )


def record_schema() -> dict[str, Any]:
    """The published JSON schema of a record."""
    text = files("opwright.records").joinpath("record.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def outcome_from_json(plain: dict[str, Any]) -> Outcome:
    """The outcome that `asdict` wrote."""
    findings = tuple(Finding(**finding) for finding in plain["findings"])
    notes = tuple(plain["notes"])
    return Outcome(plain["verdict"], findings, plain["reason"], plain["figures"], notes)


def _operator(plain: dict[str, Any]) -> OperatorRecord:
    fields = {k: v for k, v in plain.items() if k not in _DERIVED}
    cases = tuple(
        CaseRecord(**{**case, "outcome": outcome_from_json(case["outcome"])})
        for case in plain["cases"]
    )
    return OperatorRecord(**{**fields, "cases": cases})
