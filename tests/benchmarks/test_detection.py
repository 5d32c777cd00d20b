"""The comparison with PyTorch's tools: a few operators through both sides, and the README's table."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from defect_folders import CORRECT
from opwright.records.detection import CorrectTrial, Detection, Trial
from opwright.worker import Limits

ROOT = Path(__file__).parent.parent.parent
PROGRAM = ROOT / "benchmarks" / "detection.py"


@pytest.fixture
def detection(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(PROGRAM.parent))
    import detection

    return detection


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_both_sides_see_the_same_operators_and_the_last_line_is_json() -> None:
    names = ("outputs_are_one", "output_buffer_kept", "aborts", "in_place")
    run = subprocess.run(
        [sys.executable, PROGRAM, "--list", *(w for name in names for w in ("--defect", name))],
        capture_output=True,
        text=True,
        check=True,
    )
    *lines, last = run.stdout.splitlines()
    figures = json.loads(last)
    assert figures["planted"] == figures["checkable"] == figures["caught"] == 3
    # both outputs being one tensor is for opcheck; an abort on an odd size is on no typical input
    assert figures["opcheck_caught"] == 1
    assert (figures["correct_operators"], figures["false_alarms"]) == (1, 0)
    assert figures["opcheck_false_alarms"] == 0
    assert "| mutation | 2 | 2 | 2 | 1 |" in lines
    assert any(line.startswith("outputs_are_one") and "opcheck: " in line for line in lines)


def test_a_crash_counts_as_found_by_pytorchs_tools_too(
    detection: ModuleType, tmp_path: Path
) -> None:
    (tmp_path / "op.py").write_text(
        "import os\nfrom opwright import Dim, Operator, Tensor\n"
        "op = Operator('fatal(Tensor input) -> Tensor', inputs={'input': Tensor(Dim('n', typical=(4,)))},\n"
        "    dtypes=('float32',), reference=lambda input: input + 1, function=lambda input: os.abort())\n"
    )
    with detection.pytorchs_tools() as worker:
        assert "SIGABRT" in detection.found_by_trio(worker, tmp_path, Limits())


def test_pytorchs_tools_get_kernels_of_backwards_and_what_comes_by_keyword(
    detection: ModuleType,
) -> None:
    with detection.pytorchs_tools() as worker:
        for name in ("keyword_alone", "learned_gain"):
            assert detection.found_by_trio(worker, CORRECT / name, Limits()) == ""


def test_the_table_has_a_row_a_check_and_the_totals(detection: ModuleType) -> None:
    seen = detection.Seen(
        Detection(
            (
                Trial("a", "numerics", "caught"),
                Trial("b", "numerics", "not checkable", "no g++"),
                Trial("b", "layouts", "not checkable", "no g++"),
                Trial("c", "layouts", "missed", "none failed"),
            ),
            (CorrectTrial("d"), CorrectTrial("e")),
        ),
        {"a": "assert_close: x", "b": detection.NOT_BUILT, "c": ""},
        {"d": "", "e": "opcheck: x"},
    )
    assert [cells(line) for line in detection.table(seen)[2:]] == [
        ["numerics", "2", "1", "1", "1"],
        ["layouts", "2", "1", "0", "0"],
        ["**operators**", "3", "2", "1", "1"],
        ["**false alarms on correct operators**", "2", "2", "0", "1"],
    ]
    assert any(line.startswith("c: layouts missed") for line in detection.listed(seen))


def test_the_readme_holds_a_table_of_this_form(detection: ModuleType) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = text.partition(detection.BEGIN)[2].partition(detection.END)[0].strip().splitlines()
    empty = detection.table(detection.Seen(Detection((), ()), {}, {}))
    assert lines[:2] == empty[:2]
    rows = {label: list(map(int, counts)) for label, *counts in map(cells, lines[2:])}
    assert list(rows)[-2:] == [cells(line)[0] for line in empty[-2:]]
    for planted, checkable, caught, theirs in list(rows.values())[:-1]:
        assert planted >= checkable >= caught
        assert planted >= theirs
    assert detection.with_table(text, lines) == text
