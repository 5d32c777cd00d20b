"""``opwright check``: build operators, run every check on them, and say what was proved."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from opwright import __version__
from opwright.cli.options import (
    Command,
    binding_option,
    operators_argument,
    target_option,
    verbosity_options,
)
from opwright.cli.record_file import json_option
from opwright.log import waiting

if TYPE_CHECKING:
    from opwright.records.run import Record
    from opwright.session.run import Run
    from opwright.spec.target import Target


_ONLY = "Run this check; may be repeated."
_SANITIZE = "Also build with AddressSanitizer and UBSan, and give their reports with source lines."


def _list_checks(context: click.Context, option: click.Parameter, value: bool) -> None:
    """Print a line a check, what a pass says and on which targets, and end."""
    del option
    if not value or context.resilient_parsing:
        return
    from opwright.checks.table import CHECKS
    from opwright.spec.target import DEVICE_TYPES, Target

    width = max(len(check.name) for check in CHECKS)
    for check in CHECKS:
        kinds = [kind for kind in DEVICE_TYPES if check.is_for(Target(kind))]
        click.echo(f"{check.name:{width}}  {check.promise} ({', '.join(kinds)})")
    context.exit()


def _checks_options(function: Command) -> Command:
    """``--only``, ``--list-checks`` and ``--sanitize``."""
    only = click.option("--only", multiple=True, metavar="CHECK", help=_ONLY)
    listing = click.option(
        "--list-checks",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_list_checks,
        help="List the checks and what a pass of each says.",
    )
    sanitize = click.option("--sanitize", is_flag=True, help=_SANITIZE)
    return only(listing(sanitize(function)))


@click.command("check")
@operators_argument
@target_option
@binding_option
@_checks_options
@json_option
@verbosity_options
def command(
    *,
    operators: tuple[str, ...],
    target: Target,
    binding: str | None,
    only: tuple[str, ...],
    sanitize: bool,
    json_file: Path | None,
    quiet: bool,
    verbose: bool,
) -> None:
    """Build operators, run every check, and say what was proved.

    OP is a folder with an op.py, a Python file (all operators in it), file.py:name, or an installed
    operator's name. Ends with 0 when every check showed something and nothing is wrong, with 3 when
    a case failed, with 4 when a check that has cases proved nothing; see `opwright exit-codes` for the rest.
    """
    from opwright.cli.loglines import log_lines
    from opwright.cli.progress import display
    from opwright.discovery import locate

    for operator in operators:  # before PyTorch is loaded
        locate(operator)
    with log_lines(quiet=quiet, verbose=verbose), waiting("loading PyTorch"):
        from opwright.session.run import Asked, Run, check_operators
    asked = Asked(target, binding, only, sanitize)  # refused before anything is built
    run = Run()
    try:
        with display(quiet=quiet, verbose=verbose) as shown:
            check_operators(run, operators, asked, shown)
    finally:  # after Ctrl-C, too: what is done is not lost
        if run.operators:
            _tell(run, json_file, verbose=verbose, quiet=quiet)
    raise click.exceptions.Exit(run.exit_code)


def _tell(run: Run, json_file: Path | None, *, verbose: bool, quiet: bool) -> None:
    """Print what came of the run, and write it down where that was asked for."""
    from opwright.cli.failure import show_error

    for error in run.errors:
        show_error(error)
    record = run.record(shlex.join(["opwright", *sys.argv[1:]]), __version__)
    if len(run.errors) < len(run.operators):
        _show(record, verbose=verbose)
    if json_file is not None:
        _write(record, json_file, quiet=quiet)


def _show(record: Record, *, verbose: bool) -> None:
    from opwright.cli.terminal import output
    from opwright.report.check_run import check_report

    console = output()
    ascii_only = console.options.ascii_only
    console.print(check_report(record, verbose=verbose, ascii_only=ascii_only), crop=False)


def _write(record: Record, path: Path, *, quiet: bool) -> None:
    from opwright.cli.terminal import aside
    from opwright.records.run import write_record

    write_record(record, path)
    if not quiet:
        aside().print(f"everything that was seen is in {path}", style="dim", soft_wrap=True)
