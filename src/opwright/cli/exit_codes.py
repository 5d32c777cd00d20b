"""``opwright exit-codes``: what each exit code means, made from the error tree."""

from __future__ import annotations

import click

from opwright import errors
from opwright.cli.failure import CRASH_CODE, INTERRUPT_CODE


@click.command("exit-codes")
def command() -> None:
    """List the exit codes of all commands, one a class of error."""
    click.echo(table())


def table() -> str:
    """The codes as a Markdown table: code, class, meaning."""
    rows = ["| code | class | meaning |", "|---|---|---|"]
    rows += [f"| {code} | {name} | {meaning} |" for code, name, meaning in codes()]
    return "\n".join(rows)


def codes() -> list[tuple[int, str, str]]:
    """Code, class and meaning of every way in which a command ends, by code."""
    found = [
        (0, "", "All that was asked for was done, and nothing is wrong."),
        (CRASH_CODE, "", "A fault in Opwright itself; the message names a log file to send."),
        (INTERRUPT_CODE, "", "Stopped by Ctrl-C."),
    ]
    classes = [errors.OpwrightError]
    for known in classes:
        classes += [child for child in known.__subclasses__() if child not in classes]
        meaning = (known.__doc__ or "").strip().splitlines()[0].replace("``", "`")
        found.append((known.exit_code, f"`{known.__name__}`", meaning))
    return sorted(found)
