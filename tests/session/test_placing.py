"""Accesses that are known by an address only get the line of the source that made them."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from made_record import finding
from opwright.records.kernels import CountedKernel
from opwright.records.verdict import Finding, failed, passed
from opwright.session.placing import placed

SOURCE = """extern "C" int first(int x) { return 3 * x; }

extern "C" int second(int x) { return 5 * x; }
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("operator")
    (folder / "kernel.cpp").write_text(SOURCE)
    built = folder / "kernel.so"
    source = folder / "kernel.cpp"
    subprocess.run(["g++", "-g", "-O1", "-fPIC", "-shared", source, "-o", built], check=True)
    return built


def address(library: Path, function: str, way: str = "") -> dict[str, Any]:
    """What the emulator says of an access in ``function``."""
    command = ["nm", "--defined-only", str(library)]
    symbols = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")
    (line,) = (each for each in symbols if each.endswith(f" {function}"))
    return {f"{way}module": str(library), f"{way}offset": int(line.split()[0], 16)}


def counted(*hints: dict[str, Any]) -> CountedKernel:
    return {
        "kernel": "k",
        "launches": 1,
        "threads": 1,
        "grid": [1, 1, 1],
        "block": [1, 1, 1],
        "traffic": {},
        "hints": list(hints),
    }


def test_both_accesses_of_a_race_have_their_lines(library: Path) -> None:
    details = {**address(library, "second"), **address(library, "first", "other_")}
    (found,) = placed(failed(Finding("race", "two writes", details)), library.parent).findings
    assert found.message == "two writes at kernel.cpp:3, and at kernel.cpp:1"
    assert found.details == {**details, "place": "kernel.cpp:3"}


def test_a_file_of_somebody_elses_is_named_by_its_whole_path(library: Path, tmp_path: Path) -> None:
    seen = failed(Finding("race", "a write", address(library, "first")))
    (found,) = placed(seen, tmp_path).findings
    assert found.message == f"a write at {library.parent / 'kernel.cpp'}:1"


def test_hints_keep_what_was_said_and_get_a_sentence_beside_it(library: Path) -> None:
    hint = {"message": "two lanes meet", **address(library, "first")}
    nowhere = {"message": "of two ways"}
    outcome = placed(passed({"kernels": [counted(hint, nowhere)]}), library.parent)
    (kernel,) = outcome.figures["kernels"]
    assert kernel["hints"] == [hint, nowhere]
    assert kernel["placed_hints"] == ["kernel.cpp:1: two lanes meet", "of two ways"]


def test_what_has_no_address_stays_as_it_is(tmp_path: Path) -> None:
    assert placed(finding(), tmp_path) == finding()
    gone = failed(Finding("race", "a write", {"module": str(tmp_path / "gone.so"), "offset": 8}))
    assert placed(gone, tmp_path) == gone
