"""Two measurements row by row: which way, what is left out, and what is a regression."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from made_measurement import made_measurement, made_operator, made_row
from opwright.errors import RecordError, Regression
from opwright.records.measurement import Measurement, OperatorMeasurement, Row, Series
from opwright.session.comparing import compare, regressions, require_no_regression

ENVIRONMENT = dict.fromkeys(("machine", "cpu", "cpus", "python", "torch", "threads"), "same")
CASE = "batch=1024,hidden=768 float32"


def row(factor: float, subject: str = "operator", case: str = CASE, **changes: Any) -> Row:
    """Five processes of forty samples around ``factor`` milliseconds."""
    series = tuple(
        Series(
            process,
            tuple(1000 * factor * (1 + 1e-4 * (number % 7 + process)) for number in range(40)),
            0,
            "",
        )
        for process in range(5)
    )
    return made_row(subject, case, **{"series": series, **changes})


def operator(*rows: Row, name: str = "gelu") -> OperatorMeasurement:
    return made_operator(name, rows=rows, ratios=())


def measured(*operators: OperatorMeasurement, **changes: Any) -> Measurement:
    return made_measurement(*operators, **{"environment": ENVIRONMENT, **changes})


def of_rows(before: Row, after: Row, **changes: Any) -> tuple[str, float | None, str]:
    """Verdict, ratio and reason of the one row that both have."""
    (told,) = compare(measured(operator(before)), measured(operator(after), **changes), 0.01)
    (ratio,) = told.ratios
    assert (ratio.subject, ratio.against) == (before.subject, "before")
    return ratio.verdict, ratio.ratio, ratio.reason


@pytest.mark.parametrize(("factor", "verdict"), [(2.0, "slower"), (0.5, "faster"), (1.001, "same")])
def test_the_ratio_is_the_time_after_over_the_time_before(factor: float, verdict: str) -> None:
    told, ratio, _ = of_rows(row(1.0), row(factor))
    assert told == verdict
    assert ratio == pytest.approx(factor, rel=1e-3)


def test_one_process_tells_nothing() -> None:
    alone = row(2.0)
    told, _, reason = of_rows(row(1.0), replace(alone, series=alone.series[:1]))
    assert told == "cannot tell"
    assert "fresh ones" in reason


@pytest.mark.parametrize("doubted", ["before", "after"])
@pytest.mark.parametrize("factor", [2.0, 0.5, 1.0])
def test_a_row_that_is_unreliable_decides_nothing(doubted: str, factor: float) -> None:
    doubts = {"unreliable": ("the device was hot",)}
    before = row(1.0, **(doubts if doubted == "before" else {}))
    after = row(factor, **(doubts if doubted == "after" else {}))
    told, _, reason = of_rows(before, after)
    assert told == "cannot tell"
    assert reason.endswith("but unreliable: the device was hot")


def test_on_another_machine_nothing_is_comparable_and_the_reason_is_told() -> None:
    told, ratio, reason = of_rows(row(1.0), row(2.0), environment={**ENVIRONMENT, "cpu": "other"})
    assert (told, ratio) == ("not comparable", None)
    assert reason == "processor: same before, other after"


def test_with_another_cache_state_it_is_not_comparable() -> None:
    told, _, reason = of_rows(row(1.0, cache="cold"), row(2.0, cache="warm"))
    assert (told, reason) == ("not comparable", "cache state: cold before, warm after")


def test_rows_that_only_one_has_are_named_with_the_side_that_lacks_them() -> None:
    before = measured(operator(row(1.0), row(1.0, case="old")), operator(row(1.0), name="gone"))
    after = measured(operator(row(1.0), row(1.0, case="new")))
    kept, gone = compare(before, after, 0.01)
    assert [(ratio.case, ratio.verdict) for ratio in kept.ratios] == [
        (CASE, "same"),
        ("old", "not comparable"),
        ("new", "not comparable"),
    ]
    assert [ratio.reason for ratio in kept.ratios[1:]] == [
        "there is no such row after",
        "there is no such row before",
    ]
    assert gone.name == "gone"
    assert [ratio.reason for ratio in gone.ratios] == ["there is no such row after"]


def test_without_an_operator_in_common_there_is_nothing_to_compare() -> None:
    with pytest.raises(RecordError, match="no operator in common: gelu before, none after"):
        compare(measured(operator(row(1.0))), measured(), 0.01)


def test_only_the_operators_own_rows_are_regressions() -> None:
    before = measured(operator(row(1.0), row(1.0, "reference"), row(1.0, "compile")))
    faster = measured(operator(row(0.5), row(2.0, "reference"), row(2.0, "compile")))
    told = compare(before, faster, 0.01)
    assert [ratio.verdict for ratio in told[0].ratios] == ["faster", "slower", "slower"]
    assert regressions(told) == []
    require_no_regression(told, 0.01)


def test_a_regression_names_operator_case_and_bound() -> None:
    told = compare(measured(operator(row(1.0))), measured(operator(row(1.2))), 0.05)
    with pytest.raises(Regression, match=f"by more than 5 %: gelu on {CASE}"):
        require_no_regression(told, 0.05)
    within = compare(measured(operator(row(1.0))), measured(operator(row(1.2))), 0.25)
    require_no_regression(within, 0.25)
