"""What many cases come to: counts by check, findings and reasons that belong together. Derived, never stored."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from opwright.records.run import CaseRecord, OperatorRecord, check_verdict
from opwright.records.verdict import VERDICTS, Finding, Verdict


@dataclass(frozen=True)
class CheckSummary:
    """One check of one operator.

    ``max_ulp`` is the largest error of any case in units in the last place, ``reference_ulp`` that of
    the reference, ``vs_reference`` the largest error over the reference's largest at that magnitude.
    Cases count in which the reference has an error of its own to compare with; None where none has.
    """

    check: str
    counts: dict[Verdict, int]
    seconds: float
    max_ulp: float | None
    reference_ulp: float | None
    vs_reference: float | None

    @property
    def cases(self) -> int:
        """How many cases the check had."""
        return sum(self.counts.values())

    @property
    def verdict(self) -> Verdict:
        """Fail or error where one case is; a pass where one passed; otherwise nothing was shown."""
        return check_verdict(verdict for verdict, count in self.counts.items() if count)


@dataclass(frozen=True)
class FindingGroup:
    """Findings of one kind by one check: the one on the smallest case, and on how many cases."""

    check: str
    finding: Finding
    case: CaseRecord
    count: int


@dataclass(frozen=True)
class ReasonGroup:
    """Cases of one check that were not judged, for one reason; a ``count`` of 0 where there was no case."""

    check: str
    verdict: Verdict
    reason: str
    count: int


def check_summaries(operator: OperatorRecord) -> list[CheckSummary]:
    """One summary a check, in the order in which they ran; last those that had no case."""
    summaries = [_summary(check, cases) for check, cases in _by_check(operator)]
    return [*summaries, *(_summary(check, []) for check in operator.unplanned)]


def finding_groups(operator: OperatorRecord) -> list[FindingGroup]:
    """Findings by check and kind, each with the smallest case that shows it."""
    found: dict[tuple[str, str], list[tuple[CaseRecord, Finding]]] = {}
    for case in operator.cases:
        for finding in case.outcome.findings:
            found.setdefault((case.check, finding.kind), []).append((case, finding))
    groups = []
    for (check, _), pairs in found.items():
        case, finding = min(pairs, key=lambda pair: case_elements(pair[0]))
        cases = {case.name for case, _ in pairs}
        groups.append(FindingGroup(check, finding, case, len(cases)))
    return groups


def reason_groups(operator: OperatorRecord) -> list[ReasonGroup]:
    """Reasons of cases that were not checked or ended in an error, with how many have each."""
    counted = Counter(
        (case.check, case.outcome.verdict, case.outcome.reason)
        for case in operator.cases
        if case.outcome.reason
    )
    groups = [ReasonGroup(*key, count) for key, count in counted.items()]
    nothing = operator.unplanned.items()
    return [*groups, *(ReasonGroup(check, "not checked", reason, 0) for check, reason in nothing)]


def note_groups(operator: OperatorRecord) -> list[tuple[str, str, int]]:
    """Check, note and number of cases of everything that was noted and fails nothing."""
    counted = Counter((case.check, note) for case in operator.cases for note in case.outcome.notes)
    return [(check, note, count) for (check, note), count in counted.items()]


def case_elements(case: CaseRecord) -> int:
    """How large a case is: the product of all its sizes. An empty case counts as none."""
    product = 1
    for size in case.case.get("sizes", {}).values():
        product *= math.prod(size) if isinstance(size, (list, tuple)) else size
    return product


def _by_check(operator: OperatorRecord) -> Iterator[tuple[str, list[CaseRecord]]]:
    cases: dict[str, list[CaseRecord]] = {}
    for case in operator.cases:
        cases.setdefault(case.check, []).append(case)
    yield from cases.items()


def _summary(check: str, cases: list[CaseRecord]) -> CheckSummary:
    counted = Counter(case.outcome.verdict for case in cases)
    # Where the reference is exact, or float64 as the oracle itself, a ratio to its error says nothing.
    comparable = [c for c in cases if float(c.outcome.figures.get("reference_max_abs", 0)) > 0]
    return CheckSummary(
        check=check,
        counts={verdict: counted[verdict] for verdict in VERDICTS},
        seconds=sum(case.seconds for case in cases),
        max_ulp=_largest(comparable, "max_ulp"),
        reference_ulp=_largest(comparable, "reference_max_ulp"),
        vs_reference=_largest(comparable, "ratio_worst"),
    )


def _largest(cases: list[CaseRecord], figure: str) -> float | None:
    """The largest of a figure over the cases that have it; records hold infinities as text."""
    values = [
        float(case.outcome.figures[figure]) for case in cases if figure in case.outcome.figures
    ]
    known = [value for value in values if not math.isnan(value)]
    return max(known, default=None)
