"""What is seen of a check run while it works: a live line in a terminal, plain lines elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from opwright.cli.loglines import sink
from opwright.log import logging_to

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bars

    from opwright.session.cases import Progress


class Display(Protocol):
    """What a run tells its display (`opwright.session.run.Observer`), and what is logged meanwhile."""

    def begin(self, operator: str) -> None:
        """The operator of this name is next."""

    def event(self, kind: str, message: str) -> None:
        """Something was logged."""

    def case(self, progress: Progress) -> None:
        """A case is done."""


class Lines:
    """For logs and pipes: a line when a build begins and ends, and one when a check is done."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._operator = self._check = ""
        self._counts: dict[str, int] = {}

    def begin(self, operator: str) -> None:
        """Another operator: no check of it has begun."""
        self._operator, self._check = operator, ""

    def event(self, kind: str, message: str) -> None:
        """Builds are worth a line."""
        if kind in ("build.start", "build.done"):
            self._say(message)

    def case(self, progress: Progress) -> None:
        """The last case of a check ends its line."""
        case = progress.case
        if case.check != self._check:
            self._finish()
            self._check, self._counts = case.check, {}
        verdict = case.outcome.verdict
        self._counts[verdict] = self._counts.get(verdict, 0) + 1
        if progress.done == progress.total:
            self._finish()

    def _finish(self) -> None:
        if self._check:
            counts = ", ".join(f"{count} {verdict}" for verdict, count in self._counts.items())
            self._say(f"{self._operator}: {self._check}: {counts}")
        self._check = ""

    def _say(self, text: str) -> None:
        self._console.print(text, soft_wrap=True)


class Live:
    """For terminals: one line an operator that is overwritten, and gone when the run is over."""

    def __init__(self, bars: Bars) -> None:
        self._bars = bars
        self._task: Any = None
        self._operator = ""
        self._findings = 0

    def begin(self, operator: str) -> None:
        """A new line; the one before stays until the end."""
        self._operator, self._findings = operator, 0
        if self._task is not None:
            self._bars.stop_task(self._task)
        self._task = self._bars.add_task(operator, total=None, doing="looking into the store")

    def event(self, kind: str, message: str) -> None:
        """Show what the time goes into before the first case."""
        del message
        doing = {"build.start": "compiling", "build.done": "loading", "build.hit": "loading"}
        if kind in doing and self._task is not None:
            self._bars.update(self._task, doing=doing[kind])

    def case(self, progress: Progress) -> None:
        """One case further."""
        self._findings += len(progress.case.outcome.findings)
        found = f"{self._findings} found" if self._findings else ""
        check = progress.case.check if progress.done < progress.total else ""
        doing = " ".join(filter(None, (check, found)))
        self._bars.update(self._task, total=progress.total, completed=progress.done, doing=doing)


class Silent:
    """For ``--quiet``."""

    def begin(self, operator: str) -> None:
        """Say nothing."""

    def event(self, kind: str, message: str) -> None:
        """Say nothing."""

    def case(self, progress: Progress) -> None:
        """Say nothing."""


@contextmanager
def display(*, quiet: bool, verbose: bool) -> Iterator[Display]:
    """The display that suits standard error; inside the block it also gets what is logged."""
    if quiet:
        with logging_to(sink(quiet=True, verbose=False)):
            yield Silent()
        return
    from opwright.cli.terminal import aside

    console = aside()
    if not console.is_terminal or console.is_dumb_terminal:
        with _logged(Lines(console), console, verbose) as shown:
            yield shown
        return
    with live_bars(console) as bars, _logged(Live(bars), console, verbose) as shown:
        yield shown


@contextmanager
def _logged(shown: Display, console: Console, verbose: bool) -> Iterator[Display]:
    """Events go to the display; those that it does not show itself become lines."""
    lines = sink(quiet=False, verbose=verbose, console=console)

    def tell(kind: str, message: str, facts: dict[str, Any]) -> None:
        shown.event(kind, message)
        if verbose or kind not in ("build.start", "build.done"):
            lines(kind, message, facts)

    with logging_to(tell):
        yield shown


def live_bars(console: Console) -> Bars:
    """A bar a task with what it is doing, gone at the end."""
    from rich import progress as rich

    return rich.Progress(
        rich.SpinnerColumn(finished_text=" "),
        rich.TextColumn("[bold]{task.description}"),
        rich.BarColumn(bar_width=24),
        rich.MofNCompleteColumn(),
        rich.TimeElapsedColumn(),
        rich.TextColumn("[dim]{task.fields[doing]}"),
        console=console,
        transient=True,
    )
