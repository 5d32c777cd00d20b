"""``opwright bench``: time operators, beside what they are to be better than."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from opwright import __version__
from opwright.cli.bench_options import asked_from, baseline_option, how_options, what_options
from opwright.cli.options import (
    binding_option,
    operators_argument,
    target_option,
    verbosity_options,
)
from opwright.cli.picture_files import PictureFiles, picture_options
from opwright.cli.record_file import json_option
from opwright.log import waiting

if TYPE_CHECKING:
    from opwright.records.measurement import Measurement
    from opwright.session.bench_run import BenchRun


@click.command("bench")
@operators_argument
@target_option
@binding_option
@what_options
@how_options
@baseline_option
@json_option
@picture_options
@verbosity_options
def command(
    *,
    operators: tuple[str, ...],
    baseline: Path | None,
    json_file: Path | None,
    pictures: PictureFiles,
    quiet: bool,
    verbose: bool,
    **chosen: Any,
) -> None:
    """Time operators beside their references, in turns.

    OP is what `opwright check` takes. Each verdict (faster, slower, same, cannot tell) rests on pairs of
    samples from several fresh processes, and on the interval of their ratio. Wrong outputs are not timed,
    and end the command with 3.
    """
    from opwright.cli.bench_progress import watching
    from opwright.discovery import locate

    for operator in operators:  # before PyTorch is loaded
        locate(operator)
    pictures.require()
    with waiting("loading PyTorch"):
        from opwright.records.measurement import read_measurement
        from opwright.session.bench_run import BenchRun, bench_operators
    asked = asked_from(chosen)
    before = read_measurement(baseline) if baseline else None
    run = BenchRun()
    # Whatever comes, what is done is there.
    run.on_finished = lambda: _keep(_record(run), json_file)
    try:
        with watching(quiet=quiet, verbose=verbose) as watcher:
            bench_operators(run, operators, asked, watcher)
    finally:  # after Ctrl-C, too: what is done is not lost
        record = _record(run)
        _tell(run, record, json_file, pictures, verbose=verbose)
    if before is not None and run.operators:
        _compare(before, record, asked.bound, verbose=verbose)
    raise click.exceptions.Exit(run.exit_code)


def _keep(record: Measurement, json_file: Path | None) -> None:
    from opwright.records.measurement import write_measurement

    if json_file is not None:
        write_measurement(record, json_file)


def _record(run: BenchRun) -> Measurement:
    """What there is of it, with what the user has written."""
    return run.record(shlex.join(["opwright", *sys.argv[1:]]), __version__)


def _tell(
    run: BenchRun,
    record: Measurement,
    json_file: Path | None,
    pictures: PictureFiles,
    *,
    verbose: bool,
) -> None:
    """Print what came of the run, and write it down where that was asked for."""
    from opwright.cli.failure import show_error
    from opwright.cli.terminal import output
    from opwright.report.measured import measurement_report

    for error in run.errors:
        show_error(error)
    if not run.operators:
        return
    output().print(measurement_report(record, verbose=verbose), crop=False)
    _keep(record, json_file)
    pictures.write(record)


def _compare(before: Measurement, record: Measurement, bound: float, *, verbose: bool) -> None:
    """Print the verdicts; raises `Regression`."""
    from opwright.cli.terminal import output
    from opwright.report.compared import comparison_report
    from opwright.session.comparing import compare, require_no_regression

    ratios = compare(before, record, bound)
    output().print(comparison_report(ratios, verbose=verbose), crop=False)
    require_no_regression(ratios, bound)
