"""Shrink failing cases: try simpler ones in the worker for as long as the same kind of finding comes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from opwright.checks.planning.simpler import simpler, weight
from opwright.checks.table import check_named
from opwright.log import log
from opwright.records.run import CaseRecord, OperatorRecord
from opwright.records.summary import finding_groups
from opwright.records.verdict import Finding, Outcome
from opwright.session.reproduction import reproduction
from opwright.spec.case import Case, case_from_json
from opwright.spec.operator import OperatorSpec

GROUP_SECONDS = 4.0
TOTAL_SECONDS = 20.0

Run = Callable[[Case], Outcome]


@dataclass(frozen=True)
class _Subject:
    """What is shrunk for: where the operator is found, its description, and what answers for a case."""

    operator: str
    spec: OperatorSpec
    run: Run


def with_reproductions(
    record: OperatorRecord, operator: str, spec: OperatorSpec, run: Run
) -> OperatorRecord:
    """The record, the smallest case of each kind of finding shrunk further and written as Python.

    ``run`` answers for one case. Ends after TOTAL_SECONDS, or with the last finding.
    """
    until = time.monotonic() + TOTAL_SECONDS
    subject = _Subject(operator, spec, run)
    cases = list(record.cases)
    for group in finding_groups(record):
        place = next(i for i, case in enumerate(record.cases) if case is group.case)
        if cases[place].reproduction or "sizes" not in group.case.case:
            continue
        left = min(GROUP_SECONDS, until - time.monotonic())
        cases[place] = _shrunk(cases[place], group.finding, subject, left)
    return replace(record, cases=tuple(cases))


def shrink(spec: OperatorSpec, case: Case, kind: str, run: Run, seconds: float) -> Case:
    """The simplest case that was found in ``seconds`` and still gives a finding of ``kind``."""
    until = time.monotonic() + seconds
    best, tried = case, set[str]()
    improved = True
    while improved:
        improved = False
        for candidate in simpler(spec, best):
            if time.monotonic() > until:
                log("shrink.time", f"{case.id}: out of time", seconds=seconds)
                return best
            if str(candidate) in tried:
                continue
            tried.add(str(candidate))
            if _has(run(candidate), kind):
                best, improved = candidate, True
                break
    return best


def _shrunk(record: CaseRecord, finding: Finding, subject: _Subject, seconds: float) -> CaseRecord:
    original = case = case_from_json(record.case)
    if check_named(case.check).shrinks and seconds > 0:
        case = shrink(subject.spec, case, finding.kind, subject.run, seconds)
    shrunk = case.to_json() if weight(case) != weight(original) else {}
    if value := finding.details.get("input_value"):
        case = replace(case, extra={**case.extra, "found": value})
    program = reproduction(subject.operator, subject.spec, case)
    return replace(record, shrunk=shrunk, reproduction=program)


def _has(outcome: Outcome, kind: str) -> bool:
    kinds: Sequence[str] = [finding.kind for finding in outcome.findings]
    return kind in kinds
