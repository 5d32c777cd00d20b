"""What is kept of the kernels of an emulated run."""

from __future__ import annotations

from typing import Any

from made_record import RIGHT, made_case, made_operator
from opwright.records.kernels import Moved, kernel_runs
from opwright.records.verdict import passed


def counted(name: str, threads: int, **traffic: tuple[int, int, int, int]) -> dict[str, Any]:
    names = ("read_bytes", "touched_read_bytes", "written_bytes", "touched_written_bytes")
    return {
        "kernel": name,
        "launches": 1,
        "threads": threads,
        "grid": [2, 1, 1],
        "block": [threads // 2, 1, 1],
        "traffic": {
            tensor: dict(zip(names, counts, strict=True)) for tensor, counts in traffic.items()
        },
        "hints": [{"kind": "divergence", "message": "of two ways", "module": "k.so", "offset": 8}],
    }


def test_each_kernel_is_shown_where_it_had_the_most_threads_whatever_its_template_arguments() -> (
    None
):
    small = counted("k [with T = float]", 64, x=(8, 8, 0, 0))
    large = counted("k [with T = double]", 512, x=(96, 32, 0, 0), y=(0, 0, 64, 64))
    operator = made_operator(
        made_case("emulation", "rows=1", passed({"kernels": [small]})),
        made_case("emulation", "rows=9", passed({"kernels": [large, counted("other", 32)]})),
    )
    first, other = kernel_runs(operator)
    assert (first.name, first.case, first.grid, first.block) == (
        "k",
        "rows=9",
        (2, 1, 1),
        (256, 1, 1),
    )
    assert first.reads == (Moved("x", 96, 32),)
    assert first.reads[0].times == 3.0
    assert first.writes == (Moved("y", 64, 64),)
    assert (other.name, other.reads, other.writes) == ("other", (), ())


def test_hints_are_shown_once_they_have_their_lines() -> None:
    said = "k.cu:3: of two ways"
    placed = {**counted("k", 64), "placed_hints": [said, said]}
    (shown,) = kernel_runs(
        made_operator(made_case("emulation", "a", passed({"kernels": [placed]})))
    )
    (bare,) = kernel_runs(
        made_operator(made_case("emulation", "a", passed({"kernels": [counted("k", 64)]})))
    )
    assert (shown.hints, bare.hints) == ((said,), ())


def test_a_run_that_was_not_emulated_has_no_kernels() -> None:
    assert kernel_runs(RIGHT) == []
