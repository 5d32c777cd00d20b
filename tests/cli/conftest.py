"""Operators that need no compiler, and the command in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cli_operators import OPERATORS

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def operators(tmp_path: Path) -> Path:
    """A file with one operator for each way in which a check can end."""
    file = tmp_path / "many.py"
    file.write_text(OPERATORS)
    return file


@pytest.fixture(scope="session")
def opwright() -> Run:
    """``opwright`` in a process of its own: both streams and the exit code."""

    def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "opwright", *map(str, arguments)],
            capture_output=True,
            text=True,
            env={**os.environ, **environment},
            check=False,
        )

    return run
