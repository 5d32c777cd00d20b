from __future__ import annotations

import io

import pytest
from rich.console import Console

from made_record import finding, made_case
from opwright.cli import terminal
from opwright.cli.progress import display
from opwright.log import log
from opwright.records.verdict import Outcome, passed
from opwright.session.cases import Progress


@pytest.fixture
def console(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Console:
    made = Console(file=io.StringIO(), width=80, force_terminal=request.param, highlight=False)
    monkeypatch.setattr(terminal, "aside", lambda: made)
    return made


def run_two_checks(*, quiet: bool = False, verbose: bool = False) -> None:
    outcomes: list[tuple[str, Outcome]] = [
        ("contract", passed()),
        ("numerics", passed()),
        ("numerics", finding()),
    ]
    with display(quiet=quiet, verbose=verbose) as shown:
        shown.begin("swish")
        log("build.start", "building swish for cpu: it was never built")
        log("lock.wait", "waiting for somebody")
        log("worker.ready", "the worker is ready")
        log("build.done", "built swish for cpu in 3.40 s")
        for done, (check, outcome) in enumerate(outcomes, start=1):
            shown.case(Progress("swish", made_case(check, str(done), outcome), done, len(outcomes)))


def text(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("console", [False], indirect=True)
def test_without_a_terminal_builds_and_finished_checks_have_a_line_each(console: Console) -> None:
    run_two_checks()
    assert text(console).splitlines() == [
        "building swish for cpu: it was never built",
        "waiting for somebody",
        "built swish for cpu in 3.40 s",
        "swish: contract: 1 pass",
        "swish: numerics: 1 pass, 1 fail",
    ]


@pytest.mark.parametrize("console", [False], indirect=True)
def test_checks_of_the_next_operator_are_not_counted_with_the_last(console: Console) -> None:
    with display(quiet=False, verbose=False) as shown:
        for name in ("swish", "add2"):
            shown.begin(name)
            shown.case(Progress(name, made_case("contract", "a", passed()), 1, 1))
    assert text(console).splitlines() == ["swish: contract: 1 pass", "add2: contract: 1 pass"]


@pytest.mark.parametrize("console", [True, False], indirect=True)
def test_quiet_shows_nothing(console: Console) -> None:
    run_two_checks(quiet=True)
    assert text(console) == ""


@pytest.mark.parametrize("console", [True], indirect=True)
def test_a_terminal_shows_a_line_that_is_gone_afterwards_and_keeps_what_was_logged(
    console: Console,
) -> None:
    run_two_checks()
    shown = text(console)
    assert "3/3" in shown
    assert "1 found" in shown
    assert "waiting for somebody" in shown
    assert shown.rstrip().endswith("\x1b[2K"), "the last thing is that the line is erased"


@pytest.mark.parametrize("console", [True], indirect=True)
def test_a_terminal_does_not_get_the_lines_that_its_live_line_shows(console: Console) -> None:
    run_two_checks()
    assert "it was never built" not in text(console)
