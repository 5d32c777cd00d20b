from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

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
from opwright.records.run import OperatorRecord
from opwright.records.verdict import not_checked, passed
from opwright.report.check_run import check_report, closing_line


def shown(
    *operators: OperatorRecord, width: int = 80, verbose: bool = False, ascii_only: bool = False
) -> str:
    console = Console(record=True, width=width, highlight=False, file=io.StringIO())
    report = check_report(made_record(*operators), verbose=verbose, ascii_only=ascii_only)
    console.print(report, crop=False)
    return console.export_text()


def row(text: str, name: str) -> list[str]:
    return next(line.split() for line in text.splitlines() if name in line.split())


def test_each_check_has_a_row_with_its_counts_figures_and_seconds() -> None:
    text = shown(WRONG, RIGHT)
    assert row(text, "add2") == ["✗", "add2", "4", "1", "3", "-", "-", "12.0", "s"]
    assert row(text, "build") == ["build", "3.4", "s"]
    assert row(text, "contract") == ["✗", "contract", "1", "-", "1", "-", "-", "0.2", "s"]
    after = text[text.index("swish") :]
    assert row(after, "numerics") == [
        "✓",
        "numerics",
        "2",
        "2",
        "-",
        "-",
        "-",
        "1.9",
        "2.0",
        "inf×",
        "0.5",
        "s",
    ]


def test_a_library_from_the_store_is_not_shown_as_built() -> None:
    text = shown(
        made_operator(made_case("empty", "a", passed()), artifact={"hit": True, "seconds": 0.1})
    )
    assert "found in the store" in text
    assert (
        row(shown(made_operator(made_case("empty", "a", passed()), artifact={})), "empty")[1]
        == "empty"
    )


def test_a_finding_says_what_was_seen_on_the_smallest_case_and_what_to_do() -> None:
    text = shown(WRONG)
    block = text[text.index("add2, numerics: inaccurate") :]
    lines = [line.strip().split(maxsplit=1) for line in block.splitlines()]
    assert lines[1] == ["saw", "the smaller case"]
    assert lines[2][1] == "rows=2 (the smallest of 2 cases)"
    assert lines[3][0] == "do"
    assert "the larger case" not in text


def test_verbose_names_the_other_cases_and_the_notes() -> None:
    noted = made_operator(made_case("layouts", "a", passed(notes=("refused: no",))), name="relu")
    text = shown(WRONG, noted, verbose=True)
    assert re.search(r"also +rows=9", text)
    assert "relu: noted, and no fault" in text
    assert "refused: no" in text
    assert "refused: no" not in shown(noted)


def test_reasons_of_several_operators_are_told_once_with_their_counts() -> None:
    other = made_operator(*HOLLOW.cases, name="silu")
    text = shown(HOLLOW, other)
    assert re.search(r"coverage +memory cannot be poisoned \(gelu 2, silu 2\)", text)
    assert text.count("memory cannot be poisoned") == 1


def test_a_check_without_a_case_has_a_row_and_its_reason_and_leaves_the_verdict() -> None:
    partly = made_operator(*RIGHT.cases, unplanned={"coverage": "it returns nothing of its own"})
    text = shown(partly)
    assert row(text, "coverage") == ["○", "coverage", "0", "-", "-", "-", "-", "0.00", "s"]
    assert re.search(r"coverage +it returns nothing of its own \(swish\)", text)
    assert closing_line(partly).plain == closing_line(RIGHT).plain


def test_a_crash_of_every_check_is_told_once_with_the_other_checks_below_it() -> None:
    crash = finding("crash", "crashed with SIGSEGV")
    cases = [made_case(check, str(i), crash) for check in ("empty", "numerics") for i in range(3)]
    text = shown(made_operator(*cases, made_case("memory", "a", crash)))
    assert text.count("crashed with SIGSEGV") == 1
    assert "swish, empty: crash" in text
    assert "The same in numerics (3), memory (1)." in text


@pytest.mark.parametrize(
    "ulp, reference, told", [(3e6, 2.0, False), (4.0, 2e7, False), (4.0, 2.0, True)]
)
def test_a_pass_shows_errors_in_ulp_only_where_they_mean_something(
    ulp: float, reference: float, told: bool
) -> None:
    figures = {"max_ulp": ulp, "ratio_worst": 1.5, "reference_max_ulp": reference}
    case = made_case("numerics", "a", passed({**figures, "reference_max_abs": 1e-7}))
    line = row(shown(made_operator(case)), "numerics")
    assert ("4.0" in line, "2.0" in line) == (told, told)
    assert ">1e6" not in line
    assert "1.5×" in line


def test_an_error_is_set_apart_from_what_was_not_checked_and_shortened() -> None:
    text = shown(BROKEN, HOLLOW)
    assert text.index("! error") < text.index("the reference raises") < text.index("○ not checked")
    assert "third line" not in text


@pytest.mark.parametrize(
    "operator, line",
    [
        (RIGHT, "swish: pass (3 cases, 0 findings, 0 not checked) on cpu"),
        (WRONG, "add2: fail (4 cases, 3 findings, 0 not checked) on cpu"),
        (BROKEN, "norm: error (2 cases, 0 findings, 0 not checked, 1 error) on cpu"),
        (
            HOLLOW,
            "gelu: not checked (3 cases, 0 findings, 2 not checked) on cpu; coverage proved nothing",
        ),
        (
            made_operator(),
            "swish: not checked (0 cases, 0 findings, 0 not checked) on cpu; no case was run",
        ),
    ],
)
def test_the_closing_line_is_the_whole_result(operator: OperatorRecord, line: str) -> None:
    assert closing_line(operator).plain == line


def test_a_run_that_was_not_on_the_target_itself_says_what_it_was() -> None:
    emulated = made_operator(*RIGHT.cases, target="emulated:wave64", label="emulated")
    assert closing_line(emulated).plain.endswith("on emulated:wave64 (emulated)")


def test_the_environment_comes_first() -> None:
    assert (
        shown(RIGHT).splitlines()[0]
        == "opwright 0.1.0, torch 2.13.0, python 3.11.7, Some CPU, 2 threads"
    )


@pytest.mark.parametrize("width", [80, 120])
def test_no_line_is_wider_than_the_terminal_and_no_count_is_cut(width: int) -> None:
    many = made_operator(
        *[made_case("numerics", str(i), passed()) for i in range(1234)], name="a_rather_long_name"
    )
    text = shown(many, WRONG, HOLLOW, width=width)
    assert max(len(line) for line in text.splitlines()) <= width
    assert "a_rather_long_name" in text
    assert row(text, "a_rather_long_name")[2:4] == ["1234", "1234"]
    assert "…" not in text


def test_where_the_terminal_has_ascii_only_nothing_else_is_used() -> None:
    assert shown(RIGHT, WRONG, HOLLOW, BROKEN, ascii_only=True).isascii()


def test_without_colour_every_verdict_can_still_be_told() -> None:
    marks = [row(shown(op), op.name)[0] for op in (RIGHT, WRONG, HOLLOW, BROKEN)]
    assert marks == ["✓", "✗", "○", "!"]


LONG = f"x = torch.tensor([{', '.join(['1.0'] * 40)}])"


@pytest.mark.parametrize("width", [40, 80])
def test_the_lines_of_a_program_are_whole_at_any_width(width: int) -> None:
    case = replace(WRONG.cases[2], reproduction=f"import torch\n{LONG}")
    text = shown(made_operator(case), width=width)
    assert f"    {LONG}" in text.splitlines()


def test_a_program_of_a_smaller_case_says_so() -> None:
    case = replace(WRONG.cases[2], reproduction="import torch")
    assert "shows the same kind" not in shown(made_operator(case))
    smaller = replace(case, shrunk={"sizes": {"batch": [1, 2], "hidden": 1}})
    assert "shows the same kind of finding on a smaller one: batch=1x2,hidden=1" in shown(
        made_operator(smaller), width=120
    )
    assert "on a simpler one" in shown(made_operator(replace(case, shrunk=case.case)), width=120)


def test_where_ulps_say_nothing_their_ratio_says_nothing_either() -> None:
    cancelled = made_operator(made_case("layouts", "a", numerics(5e7, 2e6)))
    assert "1e6" not in shown(cancelled)


def test_what_a_kind_of_run_says_nothing_of_is_one_sentence_and_no_check() -> None:
    unclaimed = {"memory order": "only the chip shows it", "timing": "it has none"}
    both = [
        made_operator(*RIGHT.cases, name=name, label="emulated", unclaimed=unclaimed)
        for name in ("swish", "gelu")
    ]
    text = shown(*both, width=300)
    sentence = "What is emulated says nothing of memory order (only the chip shows it) or timing (it has none)."
    assert text.count(sentence) == 1
    assert "memory order" not in text.replace(sentence, "")
    assert "says nothing" not in shown(RIGHT)


def test_runs_of_one_operator_on_several_targets_have_headings_of_their_own() -> None:
    runs = [
        made_operator(
            made_case("numerics", "rows=2", finding(message=f"off on {target}")),
            made_case("contract", "input rank", not_checked("it has no rank")),
            made_case("empty", "rows=0", passed(notes=("no elements",))),
            name="swish",
            target=target,
            label="emulated",
        )
        for target in ("emulated:wave32", "emulated:wave64")
    ]
    text = shown(*runs, RIGHT, width=120, verbose=True)
    for target in ("emulated:wave32", "emulated:wave64"):
        assert f"swish on {target}, numerics: inaccurate" in text
        assert f"swish on {target}: noted, and no fault" in text
        assert row(text, target)[1:4] == ["swish", "on", target]
    reasons = text[text.index("it has no rank") :].partition("\n\n")[0]
    assert " ".join(reasons.split()) == (
        "it has no rank (swish on emulated:wave32 1, swish on emulated:wave64 1)"
    )


def test_an_operator_that_was_run_once_is_called_by_its_name_alone() -> None:
    assert " on " not in shown(WRONG).partition("numerics: inaccurate")[0]
