"""What compute-sanitizer prints becomes findings on their cases, with lines of the user's."""

from __future__ import annotations

from pathlib import Path

import pytest

from opwright.session.device_sanitizing import case_outcome, said_by_case, sanitizer_findings

# As it was printed on an H200 (compute-sanitizer of CUDA 13.0), shortened by threads of the same kind.
MEMCHECK = """========= COMPUTE-SANITIZER
@@ opwright case 0
@@ opwright case 1
========= Invalid __global__ write of size 4 bytes
=========     at void all_of_the_block<float>(opwright::View<const T1, (int)1>, opwright::View<T1, (int)1>)+0x130 in kernel.cu:7
=========     by thread (96,0,0) in block (0,0,0)
=========     Access to 0x7fcac4800380 is out of bounds
=========     and is 381 bytes after the nearest allocation at 0x7fcac4800200 of size 4 bytes
=========
========= Invalid __global__ write of size 4 bytes
=========     at void all_of_the_block<float>(opwright::View<const T1, (int)1>, opwright::View<T1, (int)1>)+0x130 in kernel.cu:7
=========     by thread (97,0,0) in block (0,0,0)
=========     Access to 0x7fcac4800384 is out of bounds
=========     and is 385 bytes after the nearest allocation at 0x7fcac4800200 of size 4 bytes
=========
@@ opwright case end
========= ERROR SUMMARY: 2 errors
"""  # noqa: E501 -- as it is printed
RACECHECK = """========= Error: Race reported between Write access at void barrier_forgotten_kernel<float>(opwright::View<const T1, (int)1>, opwright::View<T1, (int)1>)+0x150 in kernel.cu:9
=========     and Read access at void barrier_forgotten_kernel<float>(opwright::View<const T1, (int)1>, opwright::View<T1, (int)1>)+0x1b0 in kernel.cu:10 [2048 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
"""  # noqa: E501 -- as it is printed
# A kernel of PyTorch's has no line.
FOREIGN = """========= Uninitialized __global__ memory read of size 4 bytes
=========     at void at::native::vectorized_elementwise_kernel<4>(int)+0x90
=========     by thread (0,0,0) in block (0,0,0)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "kernel.cu").touch()
    return tmp_path


def test_what_is_printed_belongs_to_the_case_whose_mark_stands_before_it() -> None:
    parts = said_by_case(MEMCHECK)
    assert list(parts) == ["0", "1", "end"]
    assert parts["0"] == ""
    assert "Invalid __global__ write" in parts["1"]


def test_a_report_names_the_line_the_thread_and_the_block_once(folder: Path) -> None:
    (finding,) = sanitizer_findings("memcheck", said_by_case(MEMCHECK)["1"], folder)
    assert finding.message == (
        "memcheck: Invalid __global__ write of size 4 bytes at kernel.cu:7, "
        "thread (96,0,0) of block (0,0,0)"
    )
    assert "381 bytes after the nearest allocation" in finding.details["report"]


def test_a_race_names_its_line(folder: Path) -> None:
    (finding,) = sanitizer_findings("racecheck", RACECHECK, folder)
    assert finding.details["place"] == "kernel.cu:9"


def test_a_report_on_a_kernel_of_somebody_elses_is_none_of_the_operators(folder: Path) -> None:
    assert list(sanitizer_findings("initcheck", FOREIGN, folder)) == []


def test_where_nothing_is_said_nothing_is_found(folder: Path) -> None:
    assert list(sanitizer_findings("memcheck", "========= ERROR SUMMARY: 0 errors\n", folder)) == []


@pytest.mark.parametrize(
    ("text", "summed_up", "verdict"),
    [
        ("@@ opwright case 0\n@@ opwright case 1\n", True, "pass"),
        ("@@ opwright case 0\n@@ opwright case end\n", True, "pass"),
        ("@@ opwright case 0\n", True, "not checked"),  # it died of this case
        ("@@ opwright case 0\n@@ opwright case end\n", False, "not checked"),
        ("", True, "not checked"),
    ],
    ids=["the next began", "the end came", "ended during it", "no summary", "never began"],
)
def test_a_case_passes_only_if_it_and_the_tool_came_to_their_ends(
    folder: Path, text: str, summed_up: bool, verdict: str
) -> None:
    parts = said_by_case(text)
    assert case_outcome("memcheck", parts, 0, folder, summed_up=summed_up).verdict == verdict
