from __future__ import annotations

from dataclasses import replace

from rich.console import Console

from made_graph import OPEN, RIGHT, WRONG, made_operator, made_record
from opwright.records.graph import GraphedOperator
from opwright.report.graph import graph_report


def shown(*operators: GraphedOperator, ascii_only: bool = False, width: int = 100) -> str:
    console = Console(width=width, color_system=None)
    with console.capture() as capture:
        console.print(graph_report(made_record(*operators), ascii_only=ascii_only), crop=False)
    return capture.get()


def test_four_answers_a_trial_and_a_line_an_operator() -> None:
    text = shown(made_operator(RIGHT, OPEN))
    assert "twice in compile:aot_eager on cpu, compared bit for bit" in text
    assert "alone        static  ✓ pass         ✓ pass         ✓ pass" in text
    assert "twice: pass (2 trials, 0 findings, 1 not checked) in compile:aot_eager on cpu" in text


def test_reasons_stand_once_with_the_trials_that_have_them() -> None:
    text = shown(made_operator(RIGHT, OPEN))
    assert text.count("no companion fits (with matmul, static)") == 4
    assert "fused: a device's profile would show it (alone, static)" in text
    alone = shown(made_operator(RIGHT))
    assert "(alone, static)" not in alone


def test_a_finding_is_told_with_its_place_and_stage() -> None:
    text = shown(made_operator(RIGHT, WRONG))
    assert "✗ twice, compile:aot_eager, two in series, static: differs in the graph" in text
    assert "In run 2, `output` differs in 3 of 12 elements." in text
    assert "case n=8 float32, run 2 of 3" in text
    assert "twice: fail (2 trials, 1 finding, 0 not checked)" in text


def test_no_answer_is_cut_where_the_terminal_is_narrow() -> None:
    long = replace(OPEN, arrangement="with quantisation", how="after a failure")
    text = shown(made_operator(RIGHT, long), width=60)
    assert "\u2026" not in text
    assert "..." not in text
    assert "  with quantisation  after a failure  ○ not checked  ○ not checked  ○ not" in text


def test_several_cases_are_named_once_each() -> None:
    other = [replace(trial, case="n=9 float32") for trial in (RIGHT, OPEN)]
    text = shown(made_operator(RIGHT, OPEN, *other))
    assert text.count("n=8 float32") == text.count("n=9 float32") == 1
    assert text.count("(with matmul, static)") == 4
    assert "n=8" not in shown(made_operator(RIGHT, OPEN))


def test_what_was_not_run_says_why_and_passes_nothing() -> None:
    text = shown(made_operator(not_run="there is no device for the target cuda here"))
    assert "not run: there is no device for the target cuda here" in text
    assert "twice: not checked (not run) in compile:aot_eager on cpu" in text
    assert "pass" not in text


def test_labels_and_files_are_named() -> None:
    simulated = replace(
        made_operator(RIGHT), target="simulated", label="simulated", emitted=("/there/a.py",)
    )
    text = shown(simulated, replace(made_operator(RIGHT), not_emitted="it is Python"))
    assert "on simulated (simulated)" in text
    assert "written: /there/a.py" in text
    assert "not written: it is Python" in text


def test_plain_letters_where_a_terminal_has_no_signs() -> None:
    text = shown(made_operator(RIGHT, WRONG), ascii_only=True)
    assert "+ pass" in text
    assert text.isascii()
