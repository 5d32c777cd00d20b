from __future__ import annotations

import io

import pytest
from rich.console import Console

from opwright.cli import terminal
from opwright.cli.bench_progress import watching
from opwright.log import log


@pytest.fixture
def console(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Console:
    made = Console(file=io.StringIO(), width=80, force_terminal=request.param, highlight=False)
    monkeypatch.setattr(terminal, "aside", lambda: made)
    return made


def run_two_operators(*, quiet: bool = False) -> None:
    with watching(quiet=quiet, verbose=False) as watcher:
        for operator in ("swish", "add2"):
            watcher.begin(operator, 4)
            log("lock.wait", "waiting for somebody")
            for process in (0, 1):
                for case in ("n=1", "n=2"):
                    watcher.row(process, case)


def text(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("console", [False], indirect=True)
def test_without_a_terminal_each_process_of_each_operator_has_a_line(console: Console) -> None:
    run_two_operators()
    assert text(console).splitlines() == [
        line
        for operator in ("swish", "add2")
        for line in (
            "waiting for somebody",
            f"{operator}: timing in process 1",
            f"{operator}: timing in process 2",
        )
    ]


@pytest.mark.parametrize("console", [True, False], indirect=True)
def test_quiet_shows_nothing(console: Console) -> None:
    run_two_operators(quiet=True)
    assert text(console) == ""


@pytest.mark.parametrize("console", [True], indirect=True)
def test_a_terminal_shows_how_far_each_operator_is_and_nothing_afterwards(
    console: Console,
) -> None:
    run_two_operators()
    shown = text(console)
    assert "4/4" in shown
    assert "swish" in shown
    assert shown.rstrip().endswith("\x1b[2K"), "the last thing is that the lines are erased"


@pytest.mark.parametrize("console", [False], indirect=True)
def test_one_process_of_the_next_operator_has_a_line_of_its_own(console: Console) -> None:
    with watching(quiet=False, verbose=False) as watcher:
        for operator in ("swish", "add2"):
            watcher.begin(operator, 1)
            watcher.row(0, "n=1")
    assert text(console).splitlines() == [
        "swish: timing in process 1",
        "add2: timing in process 1",
    ]
