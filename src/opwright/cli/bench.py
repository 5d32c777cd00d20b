"""``opwright bench``: time operators, beside what they are to be better than."""

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
    bound_option,
    operators_argument,
    shapes_option,
    target_option,
    verbosity_options,
)
from opwright.cli.record_file import json_option, require_writable
from opwright.log import waiting

if TYPE_CHECKING:
    from opwright.records.measurement import Measurement
    from opwright.session.bench_run import BenchRun
    from opwright.spec.sampling import Sizes
    from opwright.spec.target import Target

_TIMERS = ("host", "issue", "events", "profiler", "graph")


def _what_options(function: Command) -> Command:
    """``--against``, ``--shapes`` and ``--dtype``."""
    against = click.option(
        "--against",
        multiple=True,
        default=("reference",),
        show_default=True,
        metavar="WHAT",
        help="reference, compile (torch.compile of it), or another operator; may be repeated.",
    )
    dtypes = click.option(
        "--dtype", "dtypes", multiple=True, help="A dtype; may be repeated. Default: the first."
    )
    return against(shapes_option(dtypes(function)))


def _how_options(function: Command) -> Command:
    """``--timer``, ``--cache``, ``--processes``, ``--seconds`` and ``--bound``."""
    timer = click.option(
        "--timer",
        type=click.Choice(_TIMERS),
        help="What is timed. Default: events on a device, host on a CPU.",
    )
    cache = click.option(
        "--cache",
        type=click.Choice(["cold", "warm"]),
        default="cold",
        show_default=True,
        help="The last-level cache before each call.",
    )
    processes = click.option(
        "--processes", type=click.IntRange(min=1), default=5, show_default=True
    )
    seconds = click.option(
        "--seconds",
        type=click.FloatRange(min=0.01),
        default=1.0,
        show_default=True,
        help="The longest that a row is sampled in each process.",
    )
    return timer(cache(processes(seconds(bound_option(function)))))


@click.command("bench")
@operators_argument
@target_option
@binding_option
@_what_options
@_how_options
@click.option(
    "--baseline",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Compare with an earlier measurement; ends with 6 where an operator has become slower.",
)
@click.option(
    "--stages",
    is_flag=True,
    help="Time a program's start instead: cold build, store hit, first call, hot calls.",
)
@json_option
@verbosity_options
def command(
    *,
    operators: tuple[str, ...],
    target: Target,
    binding: str | None,
    against: tuple[str, ...],
    shapes: tuple[Sizes, ...] | None,
    dtypes: tuple[str, ...],
    timer: str | None,
    cache: str,
    processes: int,
    seconds: float,
    bound: float,
    baseline: Path | None,
    stages: bool,
    json_file: Path | None,
    quiet: bool,
    verbose: bool,
) -> None:
    """Time operators, in turns with what they are measured against, in several fresh processes.

    OP is what `opwright check` takes. Each verdict (faster, slower, same, cannot tell) rests on pairs of
    samples, and on the interval of their ratio. Wrong outputs are not timed, and end the command with 3.
    """
    from opwright.cli.bench_progress import watching
    from opwright.discovery import locate

    for operator in operators:  # before PyTorch is loaded
        locate(operator)
    with waiting("loading PyTorch"):
        from opwright.measure.stopping import Limits
        from opwright.records.measurement import read_measurement
        from opwright.session.bench_run import BenchAsked, BenchRun, bench_operators
    asked = BenchAsked(
        target=target,
        binding=binding,
        against=against,
        shapes=shapes,
        dtypes=dtypes,
        timer=timer or "",
        cache=cache,
        processes=processes,
        bound=bound,
        limits=Limits(seconds=seconds),
        stages=stages,
    )
    before = read_measurement(baseline) if baseline else None
    if json_file is not None:
        json_file = json_file.absolute()  # a description may change the working directory
        require_writable(json_file)
    run = BenchRun()
    try:
        with watching(quiet=quiet, verbose=verbose) as watcher:
            bench_operators(run, operators, asked, watcher)
    finally:  # after Ctrl-C, too: what is done is not lost
        record = run.record(shlex.join(["opwright", *sys.argv[1:]]), __version__)
        _tell(run, record, json_file, verbose=verbose)
    if before is not None and run.operators:
        _compare(before, record, bound, verbose=verbose)
    raise click.exceptions.Exit(run.exit_code)


def _tell(run: BenchRun, record: Measurement, json_file: Path | None, *, verbose: bool) -> None:
    """Print what came of the run, and write it down where that was asked for."""
    from opwright.cli.failure import show_error
    from opwright.cli.terminal import output
    from opwright.records.measurement import write_measurement
    from opwright.report.measured import measurement_report

    for error in run.errors:
        show_error(error)
    if not run.operators:
        return
    output().print(measurement_report(record, verbose=verbose), crop=False)
    if json_file is not None:
        write_measurement(record, json_file)


def _compare(before: Measurement, record: Measurement, bound: float, *, verbose: bool) -> None:
    """Print the verdicts; raises `Regression`."""
    from opwright.cli.terminal import output
    from opwright.report.compared import comparison_report
    from opwright.session.comparing import compare, require_no_regression

    ratios = compare(before, record, bound)
    output().print(comparison_report(ratios, verbose=verbose), crop=False)
    require_no_regression(ratios, bound)
