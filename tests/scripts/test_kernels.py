"""The page about kernels shows every cell, every rival, and wherever one is faster."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from made_measurement import made_measurement, made_ratio, made_row
from opwright.discovery import find_one
from opwright.records.measurement import OperatorMeasurement, RatioRecord, Row
from opwright.session.recording import sources_digest
from opwright.spec.target import Target

SCRIPT = Path(__file__).parent.parent.parent / "scripts" / "kernels.py"
SMALL, LARGE = "batch=8,hidden=16 float32", "batch=64,hidden=16 bfloat16"
Page = Callable[..., str]


def row(subject: str, case: str, **changes: Any) -> Row:
    memory = {"allocated_peak_bytes": 4096, "results_bytes": 4096}
    dtype = {"T": case.split()[1]}
    return made_row(subject, case, memory_bytes=memory, dtypes=dtype, **changes)


def ratio(against: str, case: str, value: float | None, verdict: Any = "faster") -> RatioRecord:
    known = made_ratio("reference", case)
    return replace(known, against=against, ratio=value, verdict=verdict, reason="the reason")


def measured(name: str, target: str = "cuda:sm_90", **changes: Any) -> OperatorMeasurement:
    """Two cases: twice as fast as eager and the compiler on one, as half as fast as the compiler on the other."""
    facts: dict[str, Any] = {
        "rows": tuple(
            row(subject, case)
            for case in (SMALL, LARGE)
            for subject in ("operator", "reference", "compile")
        ),
        "ratios": (
            ratio("reference", SMALL, 0.5),
            ratio("compile", SMALL, 0.5),
            ratio("reference", LARGE, 0.125),
            ratio("compile", LARGE, 2.0, "slower"),
            ratio("liger", LARGE, None, "not comparable"),
        ),
    }
    return OperatorMeasurement(
        name=name,
        schema=f"{name}(Tensor input) -> Tensor",
        implementation="generated",
        location="op.py:8",
        target=target,
        label="hardware",
        artifact={},
        checked="",
        **{**facts, **changes},
    )


@pytest.fixture
def page(tmp_path: Path) -> Page:
    """Writes records by name, and gives what is printed of them."""

    def printed(target: str = "cuda", **records: OperatorMeasurement) -> str:
        for name, operator in records.items():
            environment = {"torch": "2.11", "cpu": "Some CPU", "threads": 2, "gpus": ["Some GPU"]}
            record = made_measurement(operator, environment=environment)
            packed = gzip.compress(json.dumps(asdict(record)).encode())
            (tmp_path / f"{name}.json.gz").write_bytes(packed)
        command = [sys.executable, SCRIPT, tmp_path, "--target", target]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return printed


def line(text: str, start: str) -> list[str]:
    """The cells of the one row that begins so."""
    (found,) = [each for each in text.splitlines() if each.startswith(start)]
    return [cell.strip() for cell in found.strip("|").split("|")]


def test_means_are_geometric_and_the_best_is_the_fastest_rival_of_each_cell(page: Page) -> None:
    text = page(kernels_a=measured("gelu"))
    assert "# The kernels beside others, on Some GPU" in text
    # eager: 2 and 8; compile: 2 and 1/2; the best: 2 and 1/2
    assert line(text, "| **all**") == ["**all**", "2", "4.00", "1.00", "-", "1.00", "1"]
    assert "- Geometric mean over eager: 4.00, aim 1.6: reached." in text
    assert "- Geometric mean over the best of all: 1.00, aim 1.15: not reached." in text


def test_operators_whose_sources_have_been_changed_since_are_named(
    page: Page, tmp_path: Path
) -> None:
    now = sources_digest(find_one("swish").spec, Target("cuda"))
    for name, digest in (("swish", now), ("add2", "0" * 64), ("somebodys", "0" * 64)):
        operator = {"name": name, "target": "cuda", "sources_digest": digest}
        (tmp_path / f"check_{name}.json").write_text(json.dumps({"operators": [operator]}))
    assert "have been changed since these were timed: `add2`.\n" in page(kernels_a=measured("gelu"))


def test_every_cell_in_which_a_rival_is_faster_is_listed_with_its_verdict(page: Page) -> None:
    text = page(kernels_a=measured("gelu"))
    listed = text.partition("## Where a rival is faster")[2].partition("## gelu")[0]
    (cell,) = [each for each in listed.splitlines() if "float" in each]
    assert cell.startswith(f"| `gelu` | {LARGE} | compile | 0.500 | slower |")


def test_where_no_rival_is_faster_the_page_says_so(page: Page) -> None:
    right = measured("gelu", ratios=(ratio("reference", SMALL, 0.5),))
    assert "## Where a rival is faster\n\nNowhere.\n" in page(kernels_a=right)


def test_each_cell_shows_time_share_and_all_rivals(page: Page) -> None:
    text = page(kernels_a=measured("gelu"))
    section = text.partition("## gelu\n")[2]
    small, large = line(section, "| batch=8,"), line(section, "| batch=64,")
    assert small == [
        "batch=8,hidden=16",
        "float32",
        "0.032 µs",
        "80 %",
        "2.00",
        "2.00",
        "-",
        "none",
    ]
    assert large[4:7] == ["8.00", "0.50!", "-"]
    assert "- liger not timed: the reason" in section


def test_memory_beyond_the_results_is_told(page: Page) -> None:
    memory = {"allocated_peak_bytes": 12288, "results_bytes": 4096}
    own = replace(row("operator", SMALL), memory_bytes=memory)
    text = page(kernels_a=measured("gelu", rows=(own,), ratios=()))
    assert line(text.partition("## gelu\n")[2], "| batch=8,")[-1] == "8192 bytes"


def test_what_the_compiler_makes_with_more_time_stands_in_the_same_cells(page: Page) -> None:
    tuned = measured(
        "gelu",
        rows=(row("operator", SMALL),),
        ratios=(ratio("compile:max-autotune-no-cudagraphs", SMALL, 0.8),),
    )
    text = page(kernels_a=measured("gelu"), autotune_a=tuned)
    assert line(text, "| **all**")[1] == "2"
    assert "max-autotune-no-cudagraphs" in text
    # The best rival of the small cell takes 1 / 0.8 of the time now, that of the large one half.
    assert line(text, "| **all**")[-2:] == ["0.79", "1"]


def test_doubts_are_told_once_a_kind(page: Page) -> None:
    doubted = tuple(
        row(subject, SMALL, unreliable=(f"the load was {load} on 2 processors",))
        for subject, load in (("operator", 3.5), ("reference", 4.25))
    )
    text = page(kernels_a=measured("gelu", rows=doubted, ratios=(ratio("reference", SMALL, 0.5),)))
    assert text.count("the load was") == 1
    assert "- \\* the load was 3.5 on 2 processors (2 of 2 rows)" in text
    assert "0.032 µs\\* | 80 % | 2.00\\* |" in text


def test_halves_of_a_run_are_one_page_and_gradients_a_section_of_their_own(page: Page) -> None:
    case = f"{SMALL} with gradients"
    learning = measured(
        "gelu",
        rows=tuple(row(subject, case) for subject in ("operator", "reference")),
        ratios=(ratio("reference", case, 0.5),),
    )
    text = page(kernels_a=measured("gelu"), kernels_b=measured("norm"), gradients_a=learning)
    for heading in ("## gelu\n", "## norm\n", "## gelu, forward and backward\n"):
        assert heading in text
    assert line(text, "| **forward**")[1] == "4"
    assert line(text, "| **with gradients**")[1] == "1"


def test_accuracy_is_the_largest_of_all_cases_and_of_half_types_alone(page: Page) -> None:
    figures = ("mean_ulp", "reference_mean_ulp", "max_ulp", "reference_max_ulp")
    rows = tuple(
        row("operator", case, accuracy={**dict.fromkeys(figures, worst), "ratio_worst": worst})
        for case, worst in ((SMALL, 9.0), (LARGE, 0.25), (f"{LARGE} offset 1", 0.5))
    )
    text = page(kernels_a=measured("gelu", rows=rows, ratios=()))
    accuracy = text.partition("## Accuracy in half types")[2]
    assert line(accuracy, "| `gelu`") == ["`gelu`", "bfloat16", *["0.5"] * 4, "-", "0.5"]


def test_a_record_of_another_target_is_not_on_the_page(page: Page) -> None:
    text = page("cpu", kernels_a=measured("gelu"), kernels_cpu=measured("norm", "cpu:native"))
    assert "# The kernels beside others, on Some CPU, 2 threads" in text
    assert "## norm" in text
    assert "## gelu" not in text
    assert "- Geometric mean over compile: 1.00, aim 1.1: not reached." in text


def test_without_records_nothing_is_claimed(page: Page) -> None:
    text = page()
    assert "No record of this target is there." in text
    assert "reached" not in text
    assert "Nothing was measured." in text
