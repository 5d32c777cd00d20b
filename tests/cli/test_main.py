from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from opwright.cli import main as cli
from opwright.cli.main import COMMANDS, main
from opwright.errors import DiscoveryError, EndedEarly, OpwrightError


def heavy_imports(*arguments: str) -> set[str]:
    """Which of torch and rich the command imports."""
    run = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "opwright", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    imported = {line.rpartition("|")[2].strip() for line in run.stderr.splitlines()}
    assert "click" in imported
    return imported & {"torch", "rich", "opwright.session.checking"}


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], *([name, "--help"] for name in COMMANDS)]
)
def test_help_imports_neither_torch_nor_rich(arguments: list[str]) -> None:
    assert heavy_imports(*arguments) == set()


@pytest.mark.parametrize("arguments", [["doctor", "--quick"], ["cache", "list"], ["exit-codes"]])
def test_quick_commands_do_not_import_torch(arguments: list[str]) -> None:
    assert "torch" not in heavy_imports(*arguments)


def test_help_lists_every_command_with_a_whole_sentence() -> None:
    text = CliRunner().invoke(main, ["--help"]).output
    listed = re.findall(r"^  ([\w-]+)  +(.+)$", text[text.index("Commands:") :], re.MULTILINE)
    assert [name for name, _ in listed] == list(COMMANDS)
    assert all(sentence.endswith(".") and not sentence.endswith("...") for _, sentence in listed)


def test_a_mistyped_command_is_guessed() -> None:
    result = CliRunner().invoke(main, ["chek", "swish"])
    assert result.exit_code == 2
    assert "Did you mean 'check'?" in result.output


def test_the_version_is_the_packages(opwright: Callable[..., Any]) -> None:
    import opwright as package

    assert opwright("--version").stdout == f"opwright {package.__version__}\n"


def raising(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """Make ``opwright check`` a command that raises."""

    @click.command()
    def command() -> None:
        raise error

    monkeypatch.setattr(cli, "import_module", lambda _: type("module", (), {"command": command}))


def test_an_error_on_purpose_is_told_in_two_parts_and_ends_with_its_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    raising(monkeypatch, DiscoveryError("no [bold]op.py[/bold] in x", hint="Make one."))
    result = CliRunner().invoke(main, ["check"])
    assert result.exit_code == DiscoveryError.exit_code
    assert result.stderr == "error: no [bold]op.py[/bold] in x\nMake one.\n"
    assert result.stdout == ""


def test_the_base_class_has_a_code_too(monkeypatch: pytest.MonkeyPatch) -> None:
    raising(monkeypatch, OpwrightError("what"))
    assert CliRunner().invoke(main, ["check"]).exit_code == 1


def test_ctrl_c_ends_with_130_and_one_word(monkeypatch: pytest.MonkeyPatch) -> None:
    raising(monkeypatch, KeyboardInterrupt())
    result = CliRunner().invoke(main, ["check"])
    assert (result.exit_code, result.stderr) == (130, "interrupted\n")


def test_an_exit_that_is_not_the_commands_own_is_no_finished_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    raising(monkeypatch, SystemExit(0))
    result = CliRunner().invoke(main, ["check"])
    assert result.exit_code == EndedEarly.exit_code
    assert "sys.exit(0) before the run was finished" in result.stderr


def crash_log(stderr: str) -> Path:
    match = re.search(r"written down in (\S+);", stderr)
    assert match, stderr
    return Path(match[1])


def test_a_fault_of_ours_ends_with_70_and_leaves_a_log_with_versions_and_traceback(
    monkeypatch: pytest.MonkeyPatch, empty_store: Path
) -> None:
    empty_store.mkdir()
    raising(monkeypatch, ZeroDivisionError("oh"))
    result = CliRunner().invoke(main, ["check"])
    assert result.exit_code == 70
    assert "a fault in Opwright itself: ZeroDivisionError: oh" in result.stderr
    assert "Traceback" not in result.stderr
    log = crash_log(result.stderr)
    assert log.parent == empty_store
    text = log.read_text()
    assert re.search(r"^python \d", text, re.MULTILINE)
    assert re.search(r"^torch \d", text, re.MULTILINE)
    assert "Traceback (most recent call last)" in text


def test_the_log_of_a_fault_goes_elsewhere_where_there_is_no_store(
    monkeypatch: pytest.MonkeyPatch, empty_store: Path, tmp_path: Path
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    raising(monkeypatch, ZeroDivisionError("oh"))
    log = crash_log(CliRunner().invoke(main, ["check"]).stderr)
    assert log.parent == tmp_path
    assert not empty_store.exists()


def test_a_reader_that_goes_away_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as pipe:
        run = subprocess.run(
            [sys.executable, "-m", "opwright", "exit-codes"],
            stdout=pipe,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert run.stderr == ""
    assert run.returncode in (0, 1)
