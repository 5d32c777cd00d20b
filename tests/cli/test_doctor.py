from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from opwright.cli.doctor import command
from opwright.errors import ToolchainError


def test_it_says_what_can_be_done_and_ends_with_0() -> None:
    result = CliRunner().invoke(command, [])
    assert result.exit_code == 0
    first = next(line for line in result.output.splitlines() if line.startswith("cpu"))
    assert first.split() == ["cpu", "yes", "yes"]
    assert "C++ compiler" in result.output


def test_without_a_compiler_it_ends_with_the_code_of_missing_tools(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    result = CliRunner().invoke(command, ["--quick"], env={"COLUMNS": "250"})
    assert result.exit_code == ToolchainError.exit_code
    assert "apt-get install g++" in result.output


def test_json_is_one_document_with_the_same_answers() -> None:
    result = CliRunner().invoke(command, ["--json", "--quick"])
    data = json.loads(result.output)
    assert data["quick"] is True
    assert {entry["subject"] for entry in data["findings"]} >= {"Python", "torch", "ninja", "store"}
    assert {entry["status"] for entry in data["findings"]} <= {
        "ok",
        "missing",
        "problem",
        "not checked",
    }


def test_the_quick_command_imports_neither_torch_nor_rich_for_json() -> None:
    code = (
        "import sys; from opwright.cli.doctor import command\n"
        "try: command(['--quick', '--json'])\n"
        "except SystemExit as end: assert end.code == 0, end.code\n"
        "print(sorted({'torch', 'rich'} & set(sys.modules)), file=sys.stderr)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=dict(os.environ),
        check=False,
    )
    assert (run.returncode, run.stderr.strip()) == (0, "[]")


def test_importing_the_command_imports_nothing_heavy() -> None:
    code = "import sys, opwright.cli.doctor; print(sorted({'torch', 'rich'} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_it_is_a_click_command_with_help() -> None:
    assert isinstance(command, click.Command)
    assert "Ends with 0 when" in CliRunner().invoke(command, ["--help"]).output


def test_markup_in_a_path_is_printed_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPWRIGHT_STORE", str(tmp_path / "[bold]x[/bold]"))
    result = CliRunner().invoke(command, ["--quick"], env={"COLUMNS": "250"})
    assert "[bold]x[/bold]" in result.output
