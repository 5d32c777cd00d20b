"""What is seen of a measurement while it works: a bar in a terminal, a line a process elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from opwright.cli.loglines import log_lines
from opwright.cli.progress import live_bars

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bars

    from opwright.session.bench_run import Watcher


class Lines:
    """For logs and pipes: a line when an operator's processes have begun to time it."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._operator, self._process = "", -1

    def begin(self, operator: str, rows: int) -> None:
        """Another operator."""
        del rows
        self._operator, self._process = operator, -1

    def row(self, process: int, case: str) -> None:
        """The first row of a process is worth a line."""
        del case
        if process != self._process:
            self._process = process
            self._console.print(
                f"{self._operator}: timing in process {process + 1}", soft_wrap=True
            )


class Live:
    """For terminals: a bar an operator, gone when the run is over."""

    def __init__(self, bars: Bars) -> None:
        self._bars = bars
        self._task: Any = None

    def begin(self, operator: str, rows: int) -> None:
        """A new bar; the one before stays until the end."""
        self._task = self._bars.add_task(operator, total=rows, doing="")

    def row(self, process: int, case: str) -> None:
        """One row further."""
        del process
        self._bars.update(self._task, advance=1, doing=case)


class Silent:
    """For ``--quiet``."""

    def begin(self, operator: str, rows: int) -> None:
        """Say nothing."""

    def row(self, process: int, case: str) -> None:
        """Say nothing."""


@contextmanager
def watching(*, quiet: bool, verbose: bool) -> Iterator[Watcher]:
    """What suits standard error; inside the block it also gets what is logged."""
    from opwright.cli.terminal import aside

    console = aside()
    with log_lines(quiet=quiet, verbose=verbose):
        if quiet:
            yield Silent()
        elif not console.is_terminal or console.is_dumb_terminal:
            yield Lines(console)
        else:
            with live_bars(console) as bars:
                yield Live(bars)
