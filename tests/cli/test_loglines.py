from __future__ import annotations

import pytest

from opwright.cli.loglines import log_lines
from opwright.log import log


def logged(
    capsys: pytest.CaptureFixture[str], *, quiet: bool = False, verbose: bool = False
) -> str:
    with log_lines(quiet=quiet, verbose=verbose):
        log("lock.wait", "waiting for [red]somebody[/red]", path="p")
        log("build.hit", "it is in the store")
    captured = capsys.readouterr()
    assert captured.out == "", "what is said on the way is no result"
    return captured.err


def test_waiting_is_told_and_a_hit_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert logged(capsys) == "waiting for [red]somebody[/red]\n"


def test_verbose_tells_everything_with_its_kind(capsys: pytest.CaptureFixture[str]) -> None:
    lines = logged(capsys, verbose=True).splitlines()
    assert lines == ["lock.wait: waiting for [red]somebody[/red]", "build.hit: it is in the store"]


def test_quiet_tells_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert logged(capsys, quiet=True) == ""


def test_a_long_line_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with log_lines(quiet=False, verbose=False):
        log("store.quarantine", "x" * 500)
    assert capsys.readouterr().err == "x" * 500 + "\n"
