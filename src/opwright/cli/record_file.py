"""``--json FILE``: where a command writes down everything that it saw."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from opwright.cli.options import Command


def _place(context: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
    """The whole path: a description may change the working directory."""
    del context, option
    if path is not None:
        require_writable(path)
        path = path.absolute()
    return path


def json_option(function: Command) -> Command:
    """``--json``, as ``json_file``: whole, and in a place that can be written."""
    return click.option(
        "--json",
        "json_file",
        callback=_place,
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Write everything that was seen to FILE.",
    )(function)


def require_writable(path: Path, option: str = "--json") -> None:
    """Refuse a place for a file before the work, not after it; ``option`` named it. Raises `RecordError`."""
    from opwright.errors import RecordError

    folder = path.absolute().parent
    try:
        with tempfile.TemporaryFile(
            dir=folder
        ):  # rights alone do not say it: a file system may refuse
            pass
    except OSError as error:
        raise RecordError(
            f"{path} cannot be written: {folder} is not a folder that you can write to ({error.strerror})",
            hint=f"Make the folder, or name another file for {option}.",
        ) from error


def made_folder(path: Path, option: str) -> Path:
    """The whole path of a folder for files, made where it is not there yet; ``option`` named it.

    Raises `RecordError` where nothing can be written there, before the work and not after it.
    """
    from opwright.errors import RecordError

    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        raise RecordError(
            f"{path} is not a folder that can be written to: {error.strerror}",
            hint=f"Name another folder for {option}.",
        ) from error
    return path.absolute()  # a description may change the folder
