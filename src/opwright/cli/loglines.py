"""What the library logs, as one dim line each on standard error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from opwright.cli.channel import pass_on
from opwright.log import Sink, logging_to

if TYPE_CHECKING:
    from rich.console import Console

# What a user wants to know unasked: waiting, compiling, and whatever was not as it should be.
TOLD = (
    *("description.", "lock.", "store.", "trace.", "binding.", "worker.setup_failed"),
    *("build.start", "build.done", "build.again", "build.unseen", "build.reclaimed"),
)


def is_told(kind: str) -> bool:
    """Whether lines of ``kind`` are shown without ``--verbose``."""
    return kind.startswith(TOLD)


@contextmanager
def log_lines(*, quiet: bool, verbose: bool) -> Iterator[None]:
    """Show what is logged inside the block: the told kinds, all of them, or none."""
    with logging_to(sink(quiet=quiet, verbose=verbose)):
        yield


def sink(*, quiet: bool, verbose: bool, console: Console | None = None) -> Sink:
    """The sink behind `log_lines`, writing to ``console`` where there is one already."""

    def tell(kind: str, message: str, facts: dict[str, Any]) -> None:
        pass_on(kind, message, facts, told=not quiet)
        if quiet or not (verbose or is_told(kind)):
            return
        nonlocal console
        if console is None:
            from opwright.cli.terminal import aside

            console = aside()
        console.print(f"{kind}: {message}" if verbose else message, style="dim", soft_wrap=True)

    return tell
