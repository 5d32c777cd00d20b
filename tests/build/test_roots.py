"""Paths are written down so that they hold after a move, and nothing else is touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from opwright.build.roots import Roots
from small_build import request_for

ROOTS = Roots((("/home/me/op/.venv/torch", "torch"), ("/home/me/op", "root")))


@pytest.mark.parametrize(
    "path, shown",
    [
        ("/home/me/op/k.h", "{root}/k.h"),
        ("/home/me/op", "{root}"),
        ("/home/me/op/.venv/torch/include/a.h", "{torch}/include/a.h"),
        ("/home/me/op2/k.h", "/home/me/op2/k.h"),
        ("/usr/include/k.h", "/usr/include/k.h"),
    ],
)
def test_a_path_is_shown_by_its_innermost_root_and_found_again(path: str, shown: str) -> None:
    assert ROOTS.display(path) == shown
    assert ROOTS.locate(shown) == path


def test_a_path_of_a_root_that_this_request_lacks_is_nowhere() -> None:
    assert ROOTS.locate("{cuda}/x.h") == "{cuda}/x.h"


@pytest.mark.parametrize(
    "text, expected",
    [
        ("-I/home/me/op/inc -L/home/me/op", "-I{root}/inc -L{root}"),
        ('#include "/home/me/op/k.cpp"', '#include "{root}/k.cpp"'),
        ("-I/home/me/op2 -I/home/me/op-old -I/home/me/op.d", None),
        ("-I/home/me/op/.venv/torch/include", "-I{torch}/include"),
        ("-O2", None),
    ],
)
def test_folders_in_a_text_get_their_names(text: str, expected: str | None) -> None:
    assert ROOTS.portable(text) == (text if expected is None else expected)


def test_a_root_behind_a_link_is_known_by_both_names(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    roots = Roots.of(request_for(tmp_path / "link"))
    assert roots.display(f"{tmp_path}/link/k.h") == "{root}/k.h"
    assert roots.display(f"{tmp_path}/real/k.h") == "{root}/k.h"
