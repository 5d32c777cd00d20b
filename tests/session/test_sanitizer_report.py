"""Reports of the sanitizers name the line in the user's file, once for each place."""

from __future__ import annotations

from pathlib import Path

from opwright.session.sanitizer_report import sanitizer_findings

ASAN = """=================================================================
==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x61 at pc 0x7f bp 0x7f sp 0x7f
READ of size 4 at 0x61 thread T0
    #0 0x7f01 in opwright::at(long) opwright/opwright/view.h:88
    #1 0x7f02 in void shifted<float>(int) operator/shifted.cpp:6
    #2 0x7f03 in main /usr/src/main.cpp:3
SUMMARY: AddressSanitizer: heap-buffer-overflow opwright/opwright/view.h:88 in at
"""


def test_the_frame_in_the_users_file_is_the_place(tmp_path: Path) -> None:
    (tmp_path / "shifted.cpp").write_text("")
    (found,) = sanitizer_findings(ASAN, tmp_path)
    assert found.message == "heap-buffer-overflow, READ of size 4 at shifted.cpp:6"


def test_undefined_behaviour_is_said_once_for_each_place(tmp_path: Path) -> None:
    line = "operator/shifted.cpp:6:12: runtime error: signed integer overflow: 2 + 3\n"
    (tmp_path / "shifted.cpp").write_text("")
    found = list(sanitizer_findings(line * 3 + line.replace(":6:", ":7:"), tmp_path))
    assert [finding.message for finding in found] == [
        "signed integer overflow: 2 + 3 at shifted.cpp:6",
        "signed integer overflow: 2 + 3 at shifted.cpp:7",
    ]


def test_quiet_is_no_finding(tmp_path: Path) -> None:
    assert list(sanitizer_findings("a warning of somebody else's\n", tmp_path)) == []
