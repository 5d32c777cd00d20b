"""``opwright graph``: hold operators inside graphs against themselves without one."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from opwright import __version__
from opwright.cli.graph_options import asked_from, how_options, size_options, what_options
from opwright.cli.options import operators_argument, target_option, verbosity_options
from opwright.cli.record_file import json_option
from opwright.log import waiting

if TYPE_CHECKING:
    from opwright.session.graph_run import GraphRun


@click.command("graph")
@operators_argument
@what_options
@size_options
@how_options
@target_option
@json_option
@verbosity_options
def command(
    *,
    operators: tuple[str, ...],
    json_file: Path | None,
    quiet: bool,
    verbose: bool,
    **chosen: Any,
) -> None:
    """Hold operators inside a graph against themselves without one.

    OP is what `opwright check` takes. Each graph is run several times with other data, the operator alone, in
    series, and between known companions. Four answers are given apart: results equal, operator in the graph,
    captured whole, fused. A Python function is one operator in a graph, as `opwright.load` registers it: a
    compiler sees neither its body nor a fake kernel of its own. Ends with 3 where a fault was found, with 4
    where nothing was proved.
    """
    from opwright.cli.graph_progress import watching
    from opwright.discovery import locate

    for operator in operators:  # before PyTorch is loaded
        locate(operator)
    with waiting("loading PyTorch"):
        from opwright.session.graph_run import GraphRun, graph_operators, graphing
    asked = asked_from(chosen)
    run = GraphRun()
    try:
        with watching(quiet=quiet, verbose=verbose) as watcher, graphing(asked) as worker:
            graph_operators(run, worker, operators, asked, watcher)
    finally:  # after Ctrl-C, too: what is done is not lost
        _tell(run, json_file)
    raise click.exceptions.Exit(run.exit_code)


def _tell(run: GraphRun, json_file: Path | None) -> None:
    """Print what came of the run, and write it down where that was asked for."""
    from opwright.cli.failure import show_error
    from opwright.cli.terminal import output
    from opwright.records.graph import write_graph_record
    from opwright.report.graph import graph_report

    for error in run.errors:
        show_error(error)
    if not run.operators:
        return
    record = run.record(shlex.join(["opwright", *sys.argv[1:]]), __version__)
    console = output()
    console.print(graph_report(record, ascii_only=console.options.ascii_only), crop=False)
    if json_file is not None:
        write_graph_record(record, json_file)
