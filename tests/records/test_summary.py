from __future__ import annotations

import math

from made_record import (
    BROKEN,
    HOLLOW,
    RIGHT,
    WRONG,
    finding,
    made_case,
    made_operator,
    made_record,
    numerics,
)
from opwright.records.summary import (
    ReasonGroup,
    case_elements,
    check_summaries,
    finding_groups,
    note_groups,
    reason_groups,
)
from opwright.records.verdict import not_checked, passed


def test_a_check_is_counted_and_timed_over_its_cases() -> None:
    contract, numerics = check_summaries(WRONG)
    assert (contract.check, contract.cases, contract.counts["fail"]) == ("contract", 1, 1)
    assert (numerics.cases, numerics.counts["fail"], numerics.counts["pass"]) == (3, 2, 1)
    assert numerics.seconds == 0.75


def test_the_worst_figures_of_a_check_are_the_largest_infinities_included() -> None:
    contract, numerics = check_summaries(RIGHT)
    assert (numerics.max_ulp, numerics.vs_reference) == (1.94, math.inf)
    assert (contract.max_ulp, contract.vs_reference) == (None, None)


def test_errors_of_cases_whose_reference_is_exact_are_left_out_of_the_comparison() -> None:
    cases = [
        made_case("numerics", "float64", numerics(6e11, 1e12, reference=0.0)),
        made_case("numerics", "float32", numerics(1.5, 0.9)),
    ]
    (summary,) = check_summaries(made_operator(*cases))
    assert (summary.max_ulp, summary.reference_ulp, summary.vs_reference) == (1.5, 2.0, 0.9)


def test_a_figure_that_is_not_a_number_does_not_hide_the_others() -> None:
    cases = [
        made_case("numerics", str(i), numerics(ulp, 1.0)) for i, ulp in enumerate(("nan", 2.0))
    ]
    assert check_summaries(made_operator(*cases))[0].max_ulp == 2.0


def test_a_check_without_one_pass_has_proved_nothing() -> None:
    assert [each.verdict for each in check_summaries(HOLLOW)] == ["pass", "not checked"]
    assert HOLLOW.verdict == "not checked"


def test_single_cases_that_were_not_checked_do_not_undo_a_pass() -> None:
    cases = (made_case("layouts", "a", passed()), made_case("layouts", "b", not_checked("no such")))
    assert made_operator(*cases).verdict == "pass"


def test_a_failure_weighs_more_than_an_error_and_that_more_than_nothing_proved() -> None:
    assert made_operator(*BROKEN.cases, *HOLLOW.cases).verdict == "error"
    assert made_operator(*BROKEN.cases, *WRONG.cases).verdict == "fail"
    numerics = check_summaries(made_operator(*BROKEN.cases, *WRONG.cases))[0]
    assert (numerics.check, numerics.verdict) == ("numerics", "fail")


def test_the_record_as_json_has_the_same_verdict() -> None:
    plain = made_record(HOLLOW, RIGHT).to_json()
    assert [operator["verdict"] for operator in plain["operators"]] == ["not checked", "pass"]


def test_no_case_at_all_proves_nothing() -> None:
    assert made_operator().verdict == "not checked"
    assert made_operator(unplanned={"coverage": "why"}).verdict == "not checked"


def test_a_check_without_a_case_is_named_with_its_reason_and_does_not_undo_a_pass() -> None:
    operator = made_operator(*RIGHT.cases, unplanned={"coverage": "it returns nothing of its own"})
    assert operator.verdict == "pass"
    assert operator.checks() == {"contract": "pass", "numerics": "pass", "coverage": "not checked"}
    last = check_summaries(operator)[-1]
    assert (last.check, last.cases, last.verdict) == ("coverage", 0, "not checked")
    assert reason_groups(operator) == [
        ReasonGroup("coverage", "not checked", "it returns nothing of its own", 0)
    ]


def test_findings_of_a_kind_come_together_with_the_smallest_case() -> None:
    groups = finding_groups(WRONG)
    assert [(g.check, g.finding.kind, g.count) for g in groups] == [
        ("contract", "rank not refused", 1),
        ("numerics", "inaccurate", 2),
    ]
    assert groups[1].case.name == "rows=2"
    assert groups[1].finding.message == "the smaller case"


def test_one_kind_in_two_checks_stays_apart() -> None:
    cases = [made_case(check, "a", finding()) for check in ("numerics", "layouts")]
    assert [group.check for group in finding_groups(made_operator(*cases))] == [
        "numerics",
        "layouts",
    ]


def test_reasons_are_counted_by_check() -> None:
    (group,) = reason_groups(HOLLOW)
    assert (group.check, group.verdict, group.count) == ("coverage", "not checked", 2)


def test_notes_are_counted() -> None:
    cases = [made_case("layouts", str(i), passed(notes=("refused",))) for i in range(2)]
    assert note_groups(made_operator(*cases)) == [("layouts", "refused", 2)]


def test_a_case_is_as_large_as_the_product_of_its_sizes() -> None:
    assert case_elements(made_case("numerics", "a", passed(), rows=5)) == 30
    assert case_elements(made_case("empty", "a", passed(), rows=0)) == 0
