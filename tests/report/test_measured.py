"""What a terminal shows of a measurement is what the record says, within 80 columns."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from made_measurement import FULL, STAGES, made_measurement, made_operator, made_ratio, made_row
from opwright.records.measurement import Measurement, Stage
from opwright.report.measured import measurement_report, spread_text, time_text

LONG = "batch=1024x768x3x5,hidden=123456,experts=128,columns=99999 bfloat16 float32"


def shown(measurement: Measurement, *, verbose: bool = False) -> str:
    console = Console(file=io.StringIO(), width=80)
    console.print(measurement_report(measurement, verbose=verbose), crop=False)
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def words(text: str) -> str:
    """As one line: the terminal breaks sentences where it likes."""
    return " ".join(text.split())


@pytest.mark.parametrize(
    ("time_us", "text"),
    [
        (0.004, "0.004 µs"),
        (3.214, "3.21 µs"),
        (999.4, "999 µs"),
        (999.6, "1 ms"),
        (1234.0, "1.23 ms"),
        (56_789.0, "56.8 ms"),
        (999_600.0, "1 s"),
        (4.2e6, "4.2 s"),
        (1.8e9, "1800 s"),
    ],
)
def test_times_have_three_digits_and_their_unit(time_us: float, text: str) -> None:
    assert time_text(time_us) == text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0.99, 1.02, "2.0 %"),
        (0.8, 1.1, "25.0 %"),
        (0.4, 1.1, ">99 %"),
        (0.0, float("inf"), "?"),
        (1.0, 1.0, "0.0 %"),
    ],
)
def test_a_spread_is_that_of_the_farther_end(low: float, high: float, text: str) -> None:
    assert spread_text(1.0, low, high) == text


def test_each_row_has_its_own_numbers() -> None:
    operator = FULL.operators[0]
    lines = [line.split() for line in shown(FULL).splitlines()]
    ratios = {(ratio.case, ratio.against): ratio for ratio in operator.ratios}
    for case in dict.fromkeys(row.case for row in operator.rows):
        place = lines.index(case.split())
        place += 2 if lines[place + 1][:2] == ["of", "operator"] else 0  # titles
        rows = [row for row in operator.rows if row.case == case]
        for cells, row in zip(lines[place + 1 :], rows, strict=False):
            assert cells[0] == row.subject + ("*" if row.unreliable else "")
            median = time_text(row.estimate.median_us).split()
            assert cells[1:3] == median
            assert cells[3:5] == ["4.0", "%"]
            assert cells[5] == str(row.estimate.samples)
            assert cells[6:8] == [f"{100 * row.roofline['fraction_of_copy']:.0f}", "%"]
            if ratio := ratios.get((case, row.subject)):
                assert f"{ratio.ratio:.3f}" in cells
                assert " ".join(cells).endswith(ratio.verdict)


def test_the_headline_names_target_timer_cache_binary_and_what_checks_said() -> None:
    first = words(shown(FULL))
    assert first.startswith(
        "bias_gelu on cpu, timer host, cache cold, binary 61b03c4961b0, passed: every check"
    )
    emulated = made_measurement(made_operator(label="HIP source on NVIDIA", target="cuda"))
    assert "bias_gelu on cuda (HIP source on NVIDIA), " in words(shown(emulated))


def test_stages_have_median_least_and_most_of_their_processes() -> None:
    lines = [line.split() for line in shown(FULL).splitlines()]
    assert ["cold", "build", "4.2", "s", "4.1", "s", "4.3", "s", "3"] in lines
    assert ["hot", "call", "88.2", "µs", "87.5", "µs", "90", "µs", "3"] in lines
    assert len(STAGES[0].times_us) == 3


def test_what_speaks_against_rows_is_told_once_with_where() -> None:
    text = words(shown(FULL))
    assert text.count("* processes disagree: 1 lies below 2 (2 rows)") == 1
    one = made_measurement(made_operator(rows=(made_row(unreliable=("it was hot",)),), ratios=()))
    assert "* it was hot (operator on batch=1024,hidden=768 float32)" in words(shown(one))


def test_why_there_is_no_verdict_is_told_and_in_verbose_why_there_is_one() -> None:
    unsure = made_ratio("compile", "a", verdict="cannot tell", reason="too few processes")
    sure = made_ratio("reference", "a", reason="all of it lies below")
    measurement = made_measurement(made_operator(ratios=(unsure, sure)))
    text = words(shown(measurement))
    assert "cannot tell against compile on a: too few processes" in text
    assert "all of it lies below" not in text
    assert "faster against reference on a: all of it lies below" in words(
        shown(measurement, verbose=True)
    )


def test_a_whole_models_gain_is_told_where_it_was_asked() -> None:
    ratio = made_ratio("reference", "a", share_percent=40.0, whole_model=1.25)
    text = words(shown(made_measurement(made_operator(ratios=(ratio,)))))
    assert "spends 40 % of its time in reference on a becomes 1.250 times as fast" in text
    assert "times as fast" not in words(shown(FULL))


def test_calls_that_were_looked_at_again_are_counted() -> None:
    expected = sum(row.rechecked for row in FULL.operators[0].rows)
    assert f"{expected} timed calls looked at again: every output right" in words(shown(FULL))


def wide(**changes: Any) -> Measurement:
    """The widest numbers, under the longest of names."""
    row = made_row(case=LONG, unreliable=("a reason " * 30,), roofline={"fraction_of_copy": 123.0})
    estimate = replace(row.estimate, median_us=888_888.0, low_us=1.0, high_us=9e9, samples=50_000)
    rows = tuple(
        replace(row, subject=subject, estimate=estimate, **changes)
        for subject in ("operator", "an_operator_with_quite_a_long_name_of_its_own")
    )
    ratio = made_ratio("reference", LONG, ratio=123456.7, low=1.0, high=9e9, verdict="cannot tell")
    other = replace(ratio, against=rows[1].subject)
    stages = (Stage("cold build and load", (1.8e9, 1.7e9)),)
    return made_measurement(
        made_operator(rows=rows, ratios=(ratio, other), checked="failed " + "layouts, " * 20),
        made_operator(rows=(), ratios=(), stages=stages),
    )


def test_nothing_is_wider_than_80_columns_and_no_number_is_cut() -> None:
    text = shown(wide())
    assert max(map(len, text.splitlines())) <= 80
    for number in ("889 ms", "50000", "123457 x", ">999%", "cannot tell", ">99 %", "1800 s"):
        assert number in text
    assert "…" not in text
