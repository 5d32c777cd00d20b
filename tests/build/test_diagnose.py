"""The first error of a log, in the words of each compiler."""

from __future__ import annotations

from pathlib import Path

import pytest

from opwright.build.diagnose import FirstError, first_error

GCC = "k.cpp:7:3: error: 'x' was not declared in this scope\n    7 |   x;\n"
NVCC = 'k.cu(7): error: identifier "x" is undefined\n    x;\n    ^\n\n1 error detected in the compilation.\n'
FATAL = "nvcc fatal   : Unsupported gpu architecture 'compute_999'\n"
LINKER = "c++: fatal error: no input files\n"


def first(tmp_path: Path, text: str) -> FirstError:
    log = tmp_path / "log"
    log.write_text(f"some words\n{text}more words\n")
    found = first_error(log, lambda _: True)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "where", "line", "what"),
    [
        (GCC, "k.cpp", 7, "'x' was not declared in this scope"),
        (NVCC, "k.cu", 7, 'identifier "x" is undefined'),
        (FATAL, "nvcc", 0, "Unsupported gpu architecture 'compute_999'"),
        (LINKER, "c++", 0, "no input files"),
    ],
    ids=["gcc", "nvcc", "nvcc's driver", "no place"],
)
def test_place_and_words_are_those_of_the_compiler(
    tmp_path: Path, text: str, where: str, line: int, what: str
) -> None:
    found = first(tmp_path, text)
    assert (found.where, found.line, found.text) == (where, line, what)


def test_a_log_without_an_error_has_none(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("k.cpp:7:3: warning: unused variable\n")
    assert first_error(log, lambda _: True) is None
