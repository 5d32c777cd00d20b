"""The command on folders of two or three planted operators; all of them run in tests/checks."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from defect_folders import CORRECT, DEFECTS
from opwright.cli.main import main
from opwright.errors import SelfTestFailed
from opwright.session import planted


@pytest.fixture
def few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One defect and one correct operator in place of all."""
    for source in (DEFECTS / "input_changed", CORRECT / "softmax"):
        shutil.copytree(source, tmp_path / source.parent.name / source.name)
    monkeypatch.setattr(planted, "planted_folder", lambda: tmp_path)
    return tmp_path


def selftest(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["selftest", "--only", "mutation", *arguments])


def test_what_is_caught_and_no_false_alarm_ends_with_0(few: Path) -> None:
    result = selftest()
    assert result.exit_code == 0, result.output
    assert "input_changed: mutation caught" in result.stderr
    assert "softmax: no finding" in result.stderr
    assert "1 correct operator, false alarms on 0" in result.stdout


def test_a_miss_and_a_false_alarm_end_with_a_code_of_their_own(few: Path) -> None:
    stated = few / "defects/input_changed/finding.json"
    stated.write_text(stated.read_text().replace('"input changed"', '"something else"'))
    shutil.copytree(DEFECTS / "input_changed", few / "correct/not_so_correct")
    result = selftest("--json")
    assert result.exit_code == SelfTestFailed.exit_code
    plain = json.loads(result.stdout)
    assert (plain["missed"], plain["false_alarms"], plain["correct_operators"]) == (1, 1, 2)
    assert "1 of 1 planted defects missed, false alarms on 1 of 2" in result.stderr


def test_an_unknown_check_is_refused_before_anything_is_run() -> None:
    result = CliRunner().invoke(main, ["selftest", "--only", "mutatoin"])
    assert result.exit_code == 2
    assert "Did you mean 'mutation'?" in result.output
