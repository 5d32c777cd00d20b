"""Two measurements from different runs, row by row: what has become faster or slower."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from opwright.errors import NotEvidence, RecordError, Regression
from opwright.measure.comparable import why_not_comparable
from opwright.measure.statistics import ratio_of_independent
from opwright.measure.verdict import verdict_of
from opwright.records.measurement import (
    Measurement,
    OperatorMeasurement,
    OperatorRatios,
    RatioRecord,
    Row,
)
from opwright.session.bench_subject import OPERATOR

BEFORE = "before"


def compare(before: Measurement, after: Measurement, bound: float) -> tuple[OperatorRatios, ...]:
    """The verdict of every row that both have, and `not comparable` for those that only one has.

    ``bound`` is the difference that counts as none, as a fraction. Raises `RecordError` where the two have
    no operator in common.
    """
    old = {operator.name: operator for operator in before.operators}
    new = {operator.name: operator for operator in after.operators}
    if not old.keys() & new.keys():
        raise RecordError(
            f"the measurements have no operator in common: {_names(old)} before, {_names(new)} after",
            hint="Name two measurements of the same operators.",
        )
    return tuple(
        OperatorRatios(name, tuple(_ratios(before, after, old.get(name), new.get(name), bound)))
        for name in dict.fromkeys((*old, *new))
    )


def regressions(operators: Sequence[OperatorRatios]) -> list[str]:
    """The operators' own rows that have become slower, by name; what they were measured against may do as it likes."""
    return [
        f"{operator.name} on {ratio.case}"
        for operator in operators
        for ratio in operator.ratios
        if ratio.verdict == "slower" and ratio.subject == OPERATOR
    ]


def require_no_regression(operators: Sequence[OperatorRatios], bound: float) -> None:
    """Raise `Regression` where an operator has become slower by more than ``bound``.

    `NotEvidence` where of no row of an operator anything can be told: that is no pass.
    """
    if slower := regressions(operators):
        raise Regression(
            f"slower than before by more than {100 * bound:g} %: {', '.join(slower)}",
            hint="Build the old sources again and measure both in one run, with --against.",
        )
    verdicts = {r.verdict for each in operators for r in each.ratios if r.subject == OPERATOR}
    if not verdicts & {"faster", "same"}:
        raise NotEvidence(
            "nothing can be told of any operator: every row is 'cannot tell' or 'not comparable'",
            hint="The reasons stand above; measure both in one run, with --against, where that can be.",
        )


def _ratios(
    before: Measurement,
    after: Measurement,
    old: OperatorMeasurement | None,
    new: OperatorMeasurement | None,
    bound: float,
) -> Iterator[RatioRecord]:
    rows_before = {(row.subject, row.case): row for row in (old.rows if old else ())}
    rows_after = {(row.subject, row.case): row for row in (new.rows if new else ())}
    for subject, case in dict.fromkeys((*rows_before, *rows_after)):
        one, other = rows_before.get((subject, case)), rows_after.get((subject, case))
        if one is None or other is None:
            missing = BEFORE if one is None else "after"
            yield _incomparable(subject, case, [f"there is no such row {missing}"])
        elif reasons := why_not_comparable(before, after, one, other):
            yield _incomparable(subject, case, reasons)
        else:
            yield _ratio(one, other, bound)


def _incomparable(subject: str, case: str, reasons: Sequence[str]) -> RatioRecord:
    return RatioRecord(subject, BEFORE, case, "not comparable", "; ".join(reasons))


def _ratio(before: Row, after: Row, bound: float) -> RatioRecord:
    """The time after over the time before; a row that is unreliable decides nothing."""
    ratio = ratio_of_independent(before.series, after.series)
    verdict, reason = verdict_of(ratio, bound)
    doubts = [*before.unreliable, *after.unreliable]
    if doubts and verdict != "cannot tell":
        verdict, reason = "cannot tell", f"{reason}, but unreliable: {'; '.join(doubts)}"
    return RatioRecord(
        after.subject,
        BEFORE,
        after.case,
        verdict,
        reason,
        ratio.value,
        ratio.low,
        ratio.high,
        ratio.pairs,
        ratio.processes,
    )


def _names(operators: dict[str, OperatorMeasurement]) -> str:
    return ", ".join(operators) or "none"
