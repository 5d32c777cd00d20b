"""``--html FILE`` and ``--plot FILE``: a measurement as a page, or as one picture."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from opwright.cli.options import Command
from opwright.cli.record_file import require_writable

if TYPE_CHECKING:
    from opwright.records.measurement import Measurement

_SUFFIXES = (".png", ".svg")


@dataclass(frozen=True)
class PictureFiles:
    """What was asked for; both may be None. Paths are whole: a description may change the folder."""

    page: Path | None
    plot: Path | None

    def require(self) -> None:
        """Refuse what could not be written after the work.

        Raises `RecordError` for a place, and `ToolchainError` where a library is missing.
        """
        for option, path in (("--html", self.page), ("--plot", self.plot)):
            if path is not None:
                require_writable(path, option)
                _require_libraries(option)

    def write(self, measurement: Measurement) -> None:
        """Write each file whole or not at all. Raises `RecordError`."""
        if self.page is not None:
            from opwright.report.page import measurement_page

            _write(self.page, measurement_page(measurement), "--html")
        if self.plot is not None:
            from opwright.report.pictures.overview import overview_file

            _write(self.plot, overview_file(measurement, self.plot.suffix), "--plot")


def picture_options(function: Command) -> Command:
    """``--html`` and ``--plot``, together as ``pictures``."""

    @functools.wraps(function)
    def with_pictures(*, html: Path | None, plot: Path | None, **others: Any) -> Any:
        pictures = PictureFiles(html and html.absolute(), plot and plot.absolute())
        return function(pictures=pictures, **others)

    file = click.Path(dir_okay=False, path_type=Path)
    page = click.option(
        "--html", type=file, metavar="FILE", help="Write a page with tables and pictures to FILE."
    )
    plot = click.option(
        "--plot",
        type=file,
        metavar="FILE",
        callback=_with_known_suffix,
        help="Write one picture of all samples to FILE, a .png or .svg.",
    )
    return cast("Command", page(plot(cast("Callable[..., Any]", with_pictures))))


def _with_known_suffix(
    context: click.Context, option: click.Parameter, path: Path | None
) -> Path | None:
    if path is not None and path.suffix.lower() not in _SUFFIXES:
        raise click.BadParameter(f"{path} is neither a .png nor an .svg.", context, option)
    return path


def _require_libraries(option: str) -> None:
    """Import them once: one that is there may be broken."""
    from opwright.errors import ToolchainError

    try:
        import jinja2  # noqa: F401
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise ToolchainError(
            f"{option} needs matplotlib and jinja2, which cannot be imported: {error}",
            hint="pip install 'opwright[report]'",
        ) from error


def _write(path: Path, content: str | bytes, option: str) -> None:
    from opwright.errors import RecordError
    from opwright.files import write_atomic

    try:
        write_atomic(path, content)
    except OSError as error:
        raise RecordError(
            f"{path} cannot be written: {error.strerror}", hint=f"Name another file for {option}."
        ) from error
