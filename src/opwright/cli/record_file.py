"""``--json FILE``: where a command writes down everything that it saw."""

from __future__ import annotations

import os
from pathlib import Path

import click

from opwright.cli.options import Command


def json_option(function: Command) -> Command:
    """``--json``, as ``json_file``."""
    return click.option(
        "--json",
        "json_file",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Write everything that was seen to FILE.",
    )(function)


def require_writable(path: Path) -> None:
    """Refuse a place for the record before the work, not after it. Raises `RecordError`."""
    from opwright.errors import RecordError

    folder = path.absolute().parent
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise RecordError(
            f"{path} cannot be written: {folder} is not a folder that you can write to",
            hint="Make the folder, or name another file for --json.",
        )
