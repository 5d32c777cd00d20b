"""``opwright check``: build operators, run every check on them, and say what was proved."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

import click

from opwright.cli.options import (
    binding_option,
    operators_argument,
    target_option,
    verbosity_options,
)

if TYPE_CHECKING:
    from opwright.cli.progress import Display
    from opwright.discovery import Described
    from opwright.errors import OpwrightError
    from opwright.records.run import OperatorRecord, Record
    from opwright.spec.target import Target


@dataclass(frozen=True)
class Asked:
    """What the command line asks of each operator."""

    target: Target
    binding: str | None
    only: tuple[str, ...]
    sanitize: bool = False


@dataclass
class Run:
    """What has come of it. ``errors`` are those of the operators that did not build, in order."""

    records: list[OperatorRecord] = field(default_factory=list)
    errors: list[OpwrightError] = field(default_factory=list)


@click.command("check")
@operators_argument
@target_option
@binding_option
@click.option("--only", multiple=True, metavar="CHECK", help="Run this check; may be repeated.")
@click.option(
    "--sanitize",
    is_flag=True,
    help="Also build with AddressSanitizer and UBSan, and give their reports with source lines.",
)
@click.option(
    "--json",
    "json_file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write everything that was seen to FILE.",
)
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
    a case failed, with 4 when a check proved nothing; see `opwright exit-codes` for the rest.
    """
    from opwright.checks.table import choose
    from opwright.cli.progress import display

    choose(only)  # an unknown name is refused before anything is built
    if json_file is not None:
        _require_writable(json_file)
    started_at = datetime.now(timezone.utc).isoformat(timespec="seconds")
    run = Run()
    try:
        with display(quiet=quiet, verbose=verbose) as shown:
            check_all(run, operators, Asked(target, binding, only, sanitize), shown)
    finally:  # after Ctrl-C, too: what is done is not lost
        if run.records:
            _tell(run, started_at, json_file, verbose=verbose, quiet=quiet)
    raise click.exceptions.Exit(exit_code(run))


def check_all(run: Run, operators: Sequence[str], asked: Asked, shown: Display) -> None:
    """Check every operator that is named. One that does not build is put down, and the next one taken."""
    from opwright.errors import DeviceError, OpwrightError
    from opwright.session.checking import check_operator, checking
    from opwright.session.sanitizing import sanitized

    with checking() as worker:  # it imports torch while the first operator compiles
        for address, described in _found(operators):
            shown.begin(described.spec.name)
            try:
                record = check_operator(
                    worker,
                    address,
                    described,
                    asked.target,
                    only=asked.only,
                    binding=asked.binding,
                    watcher=shown.case,
                    shrinks=True,
                )
                if asked.sanitize:
                    record = sanitized(record, address, described, asked.target)
            except DeviceError:
                raise  # it will be the same for every operator
            except OpwrightError as error:
                record = _not_built(described, asked.target, error)
                run.errors.append(error)
            run.records.append(record)


def exit_code(run: Run) -> int:
    """A fault weighs more than what could not be judged, and that more than what proved nothing."""
    from opwright.errors import FoundFault, NotEvidence, ReferenceFailed

    verdicts = {record.verdict for record in run.records}
    if "fail" in verdicts:
        return FoundFault.exit_code
    if run.errors:
        return run.errors[0].exit_code
    if "error" in verdicts:
        return ReferenceFailed.exit_code
    return NotEvidence.exit_code if "not checked" in verdicts else 0


def _found(texts: Sequence[str]) -> list[tuple[str, Described]]:
    """Every operator that is named, once, with the text that finds it again in another process."""
    from opwright.discovery import find, installed_names

    known = installed_names()
    found: dict[str, tuple[str, Described]] = {}
    for text in texts:
        for described in find(text):
            spec = described.spec
            in_file = f"{spec.location.file}:{spec.name}"
            installed = text in known and not Path(text).exists()
            found.setdefault(in_file, (text if installed else in_file, described))
    return list(found.values())


def _not_built(described: Described, target: Target, error: OpwrightError) -> OperatorRecord:
    """The record of an operator of which no case could be run, and why."""
    from opwright.records.run import CaseRecord, OperatorRecord
    from opwright.records.verdict import errored
    from opwright.session.checking import LABELS, sources_digest

    spec = described.spec
    try:
        digest = sources_digest(spec, target)
    except OSError:  # a source that is not there may be the very error
        digest = ""
    return OperatorRecord(
        name=spec.name,
        schema=spec.schema.text,
        implementation=spec.implementation,
        location=str(spec.location),
        sources_digest=digest,
        target=str(target),
        label=LABELS[target.kind],
        artifact={},
        cases=(CaseRecord("build", "build", {}, errored(str(error)), 0.0),),
        seconds=0.0,
    )


def _record(run: Run, started_at: str) -> Record:
    from opwright import __version__
    from opwright.records.run import Record
    from opwright.session.environment import environment_facts

    return Record(
        opwright=__version__,
        command=shlex.join(["opwright", *sys.argv[1:]]),
        started_at=started_at,
        environment=environment_facts(),
        operators=tuple(run.records),
    )


def _tell(run: Run, started_at: str, json_file: Path | None, *, verbose: bool, quiet: bool) -> None:
    """Print what came of the run, and write it down where that was asked for."""
    from opwright.cli.failure import show_error

    for error in run.errors:
        show_error(error)
    record = _record(run, started_at)
    if len(run.errors) < len(run.records):
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


def _require_writable(path: Path) -> None:
    """Refuse a place for the record before the work, not after it."""
    from opwright.errors import RecordError

    folder = path.absolute().parent
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise RecordError(
            f"{path} cannot be written: {folder} is not a folder that you can write to",
            hint="Make the folder, or name another file for --json.",
        )
