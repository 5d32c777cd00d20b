"""The compiler is asked for its sanitizer's library; without one there is nothing to start with."""

from __future__ import annotations

from pathlib import Path

import pytest

from opwright.toolchain.sanitizers import sanitizer_libraries


def test_the_library_of_this_compiler_is_found_with_the_one_it_needs() -> None:
    names = [path.name for path in sanitizer_libraries()]
    assert any("asan" in name for name in names)
    assert any("stdc++" in name for name in names)


def test_a_compiler_without_one_gives_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = tmp_path / "g++"
    compiler.write_text(
        '#!/bin/sh\ncase $1 in -print-file-name=*) echo "${1#*=}";; *) exec g++ "$@";; esac\n'
    )
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    assert sanitizer_libraries() == []
