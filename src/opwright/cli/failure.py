"""How a command ends when it cannot go on: an error in a few lines, or a crash with a log to send."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import time
import traceback
from pathlib import Path

from opwright.errors import CompileError, OpwrightError

CRASH_CODE = 70
INTERRUPT_CODE = 130


def show_error(error: OpwrightError) -> int:
    """Print what happened and what to do next to standard error; returns the exit code."""
    from opwright.cli.terminal import aside

    console = aside()
    lines = error.what.splitlines() or [type(error).__name__]
    console.print("error:", style="bold red", end=" ")
    for line in lines:
        console.print(line, soft_wrap=True)
    for line in error.hint.splitlines():
        console.print(line, style="cyan", soft_wrap=True)
    if isinstance(error, CompileError) and error.log_path and error.log_path not in str(error):
        console.print(f"The whole output is in {error.log_path}", style="dim", soft_wrap=True)
    return error.exit_code


def show_interrupt() -> int:
    """Say that the user has stopped the command; returns the exit code that shells expect."""
    from opwright.cli.terminal import aside

    aside().print("interrupted", style="dim")
    return INTERRUPT_CODE


def show_crash(error: BaseException) -> int:
    """Write the traceback to a file and say where it is; returns the exit code of a fault of ours."""
    from opwright.cli.terminal import aside

    console = aside()
    console.print("error:", style="bold red", end=" ")
    what = "".join(traceback.format_exception_only(type(error), error)).strip()
    console.print(f"a fault in Opwright itself: {what.splitlines()[0]}", soft_wrap=True)
    path = _write_crash(_crash_text(error))
    where = f"It is written down in {path}; send that file." if path else "It follows."
    console.print(where, style="cyan", soft_wrap=True)
    if path is None:
        console.print(_crash_text(error), soft_wrap=True)
    return CRASH_CODE


def _crash_text(error: BaseException) -> str:
    from importlib.metadata import distributions

    wanted = ("opwright", "torch", "click", "rich", "ninja", "filelock")
    versions = {each.name: each.version for each in distributions() if each.name in wanted}
    lines = [f"python {platform.python_version()} on {platform.platform()}"]
    lines += [f"{package} {versions.get(package, 'not installed')}" for package in wanted]
    lines += [f"command: {sys.argv}", "", *traceback.format_exception(error)]
    return "\n".join(lines)


def _write_crash(text: str) -> Path | None:
    """The file, in the store where there is one that can be written, else in the temporary folder."""
    from opwright.build.trust import default_folder

    name = f"opwright-crash-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.log"
    for folder in (default_folder(os.environ), Path(tempfile.gettempdir())):
        if not folder.is_dir():
            continue
        path = folder / name
        try:
            with open(path, "x", encoding="utf-8", errors="backslashreplace") as file:
                file.write(text)
        except OSError:
            continue
        return path
    return None
