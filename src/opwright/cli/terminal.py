"""The two consoles: results go to standard output, everything that is said on the way to standard error."""

from __future__ import annotations

import codecs
import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType

_LIMITLESS = 1_000_000
_COMMANDS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # not tabs and ends of lines


def output() -> Console:
    """Where results go. Colour and width follow the terminal, NO_COLOR and COLUMNS."""
    return _console(stderr=False)


def aside() -> Console:
    """Where progress, log lines and errors go."""
    return _console(stderr=True)


def print_whole(console: Console, shown: RenderableType) -> None:
    """Print it; in lines as long as they have to be where no terminal ends them, so that grep finds names."""
    from rich.measure import Measurement

    if not console.file.isatty():
        limitless = console.options.update(width=_LIMITLESS, max_width=_LIMITLESS)
        needed = Measurement.get(console, limitless, shown).maximum
        console.width = max(needed, console.width)
    console.print(shown)


# What stands for a sign that an encoding lacks.
_PLAIN = {
    "µ": "u",
    "±": "+/-",
    "×": "x",
    "·": "|",
    "°": "deg",
    "√": "sqrt",
    "…": "...",
    "‘": "'",
    "’": "'",
}


def survive_any_encoding() -> None:
    """Let a character that the terminal's encoding lacks come out plainly or as an escape.

    It would end the command.
    """
    codecs.register_error("opwright.plain", _plain)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="opwright.plain")


def _plain(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        return codecs.backslashreplace_errors(error)
    at = error.start
    plain = _PLAIN.get(error.object[at])
    return codecs.backslashreplace_errors(error) if plain is None else (plain, at + 1)


def harmless(text: str) -> str:
    """The text with an escape for each character that commands a terminal."""
    return _COMMANDS.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def _console(*, stderr: bool) -> Console:
    from rich.console import Console
    from rich.segment import Segment

    class Piped(Console):
        """A console whose reader may leave: the command ends as with any other output, quietly.

        What it is given is shown and not obeyed: an operator's message may hold a terminal's commands.
        """

        def render(
            self, renderable: RenderableType, options: ConsoleOptions | None = None
        ) -> Iterator[Segment]:
            """Pieces of text; rich's own commands are marked as such."""
            for piece in super().render(renderable, options):
                yield piece if piece.control else Segment(harmless(piece.text), piece.style)

        def on_broken_pipe(self) -> None:
            """Rich would end the process here, which looks like somebody else's doing."""
            raise  # noqa: PLE0704 -- rich calls this while it handles the error

    return Piped(stderr=stderr, highlight=False, markup=False, emoji=False)
