"""`make` finds a Python that is new enough, or says what it looked at (scripts stand in for Pythons)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent.parent / "scripts" / "find_python.sh"


def python(path: Path, version: str, *, new_enough: bool = True, venv: bool = True) -> Path:
    """A program that answers the script's two questions as such a Python would."""
    version_answer = f"echo {version}; exit {0 if new_enough else 1}"
    path.write_text(
        f'#!/bin/sh\ncase "$2" in *version_info*) {version_answer};; *) exit {0 if venv else 1};; esac\n'
    )
    path.chmod(0o755)
    return path


def find(path: str, wanted: str = "") -> subprocess.CompletedProcess[str]:
    environment = {"PATH": path, "PYTHON": wanted}
    return subprocess.run(
        ["/bin/sh", SCRIPT], capture_output=True, text=True, env=environment, check=False
    )


def test_python3_is_taken_when_it_will_do(tmp_path: Path) -> None:
    expected = python(tmp_path / "python3", "3.12")
    python(tmp_path / "python3.13", "3.13")
    assert find(str(tmp_path)).stdout.strip() == str(expected)


def test_a_newer_one_is_found_beside_an_old_python3(tmp_path: Path) -> None:
    python(tmp_path / "python3", "3.9", new_enough=False)
    expected = python(tmp_path / "python3.11", "3.11")
    assert find(str(tmp_path)).stdout.strip() == str(expected)


def test_the_one_that_was_asked_for_is_the_only_one_looked_at(tmp_path: Path) -> None:
    python(tmp_path / "python3", "3.12")
    old = python(tmp_path / "old", "3.8", new_enough=False)
    found = find(str(tmp_path), str(old))
    assert found.returncode == 1
    assert f"{old}: is 3.8, and 3.10 or newer is needed" in found.stderr


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        ({}, "python3.12: not found"),
        ({"version": "3.9", "new_enough": False}, "is 3.9, and 3.10 or newer is needed"),
        ({"version": "3.12", "venv": False}, "apt-get install python3-venv"),
    ],
)
def test_a_refusal_says_what_was_looked_at_and_how_to_go_on(
    tmp_path: Path, made: dict[str, object], reason: str
) -> None:
    if made:
        python(tmp_path / "python3", **made)
    found = find(str(tmp_path))
    assert (found.returncode, found.stdout) == (1, "")
    assert reason in found.stderr
    assert "make demo PYTHON=" in found.stderr


def test_a_real_python_is_accepted() -> None:
    found = find("/usr/bin:/bin", sys.executable)
    assert (found.returncode, found.stdout.strip()) == (0, sys.executable)
