"""The kernels of an emulated run, as a terminal shows them."""

from __future__ import annotations

import io

from rich.console import Console, Group

from made_record import RIGHT, made_case, made_operator
from opwright.records.verdict import passed
from opwright.report.kernels import kernel_lines

KERNEL = {
    "kernel": "row_sum [with T = float]",
    "launches": 2,
    "threads": 512,
    "grid": [3, 4, 1],
    "block": [256, 1, 1],
    "traffic": {
        "x": {
            "read_bytes": 96,
            "touched_read_bytes": 32,
            "written_bytes": 0,
            "touched_written_bytes": 0,
        },
        "y": {
            "read_bytes": 0,
            "touched_read_bytes": 0,
            "written_bytes": 64,
            "touched_written_bytes": 64,
        },
    },
    "placed_hints": ["32 lanes of a warp read 32 lines"],
}


def shown(*operators: object) -> str:
    console = Console(file=io.StringIO(), width=100)
    console.print(Group(*kernel_lines(operators)))  # type: ignore[arg-type]
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def test_a_kernel_is_told_with_its_launches_and_how_often_it_moves_each_byte() -> None:
    case = made_case("emulation", "rows=9", passed({"kernels": [KERNEL]}))
    text = shown(made_operator(case, target="emulated:wave64"))
    assert "row_sum, counted on emulated:wave64" in text
    assert "2 launches of 3x4 blocks of 256 (rows=9)" in text
    assert "reads   x 32 B (3 times each)" in text
    assert "writes  y 64 B" in [line.strip() for line in text.splitlines()]
    assert "hint    32 lanes of a warp read 32 lines" in text


def test_nothing_is_shown_of_a_run_on_hardware() -> None:
    assert shown(RIGHT).strip() == ""
