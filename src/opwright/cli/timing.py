"""``opwright timing``: what a clock around a call measures, with and without waiting for the device."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from opwright.cli.options import shapes_option, target_option
from opwright.cli.record_file import json_option
from opwright.log import waiting

if TYPE_CHECKING:
    from opwright.spec.shape_file import Listed
    from opwright.spec.target import Target


@click.command("timing")
@click.argument("operator", metavar="OP")
@target_option
@shapes_option
@json_option
def command(
    *, operator: str, target: Target, shapes: Listed | None, json_file: Path | None
) -> None:
    """Show what a clock around a call really measures.

    The call is timed in four ways: waiting for the device before and after it, or not.
    A device works on its own: who does not wait for it measures how long it takes to ask. The lanes show what
    host and stream did while the clock ran. --target simulated shows it without a device.
    """
    from opwright.cli.loglines import log_lines
    from opwright.cli.terminal import output
    from opwright.discovery import locate
    from opwright.report.timing import timing_report

    locate(operator)
    with waiting("loading PyTorch"):
        from opwright.session.timing_run import show_timing
    with log_lines(quiet=False, verbose=False):
        timing = show_timing(operator, target, shapes)
    console = output()
    console.print(timing_report(timing, ascii_only=console.options.ascii_only), crop=False)
    if json_file is not None:
        from opwright.records.timing import write_timing

        write_timing(timing, json_file)
