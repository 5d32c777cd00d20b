"""What is seen of a run of graph modes while it works: a bar in a terminal, a line an operator elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from opwright.cli.loglines import log_lines
from opwright.cli.progress import live_bars

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bars

    from opwright.records.graph import GraphTrial
    from opwright.session.graph_run import Watcher


class Lines:
    """For logs and pipes."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def begin(self, operator: str, trials: int) -> None:
        """Another operator, or another mode."""
        self._console.print(f"{operator}: {trials} trials", soft_wrap=True)

    def trial(self, trial: GraphTrial) -> None:
        """Say nothing."""


class Live:
    """For terminals: a bar an operator and mode, gone when the run is over."""

    def __init__(self, bars: Bars) -> None:
        self._bars = bars
        self._task: Any = None

    def begin(self, operator: str, trials: int) -> None:
        """A new bar; the one before stays until the end."""
        self._task = self._bars.add_task(operator, total=trials, doing="")

    def trial(self, trial: GraphTrial) -> None:
        """One trial further."""
        self._bars.update(self._task, advance=1, doing=trial.arrangement)


class Silent:
    """For ``--quiet``."""

    def begin(self, operator: str, trials: int) -> None:
        """Say nothing."""

    def trial(self, trial: GraphTrial) -> None:
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
