"""``opwright selftest``: which faults the checks can find on this machine, shown with planted ones."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from opwright.cli.options import verbosity_options

if TYPE_CHECKING:
    from opwright.records.detection import Detection
    from opwright.session.selftest import Tried


@click.command("selftest")
@click.option("--only", multiple=True, metavar="CHECK", help="Try this check; may be repeated.")
@click.option("--quick", is_flag=True, help="Leave out operators that have to be compiled.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@verbosity_options
def command(
    *, only: tuple[str, ...], quick: bool, as_json: bool, quiet: bool, verbose: bool
) -> None:
    """Try every check on planted defects and on correct operators.

    A defect is caught, missed, or not checkable here, and then the reason is given. A finding on a
    correct operator is a false alarm. Ends with 0 when nothing was missed and no false alarm rang.
    """
    from opwright.cli.loglines import log_lines
    from opwright.errors import SelfTestFailed
    from opwright.session.selftest import Chosen, self_test

    silent = quiet or as_json
    with log_lines(quiet=True, verbose=verbose and not silent):
        detection = self_test(Chosen(only, quick), (lambda _: None) if silent else _tell)
    if as_json:
        click.echo(json.dumps(detection.to_json(), indent=1))
    else:
        _show(detection)
    totals = detection.totals()
    if totals["missed"] or totals["false_alarms"]:
        raise SelfTestFailed(
            f"{totals['missed']} of {totals['checkable']} planted defects missed, false alarms on "
            f"{totals['false_alarms']} of {totals['correct_operators']} correct operators",
            hint="The checks cannot be relied on here. Send the output of `opwright selftest --json`.",
        )


def _tell(done: Tried) -> None:
    from opwright.cli.terminal import aside

    text = f"[{done.number}/{done.total}] {done.name}: {done.answer}"
    aside().print(text, soft_wrap=True)


def _show(detection: Detection) -> None:
    from opwright.cli.terminal import output
    from opwright.report.detection import detection_report

    output().print(detection_report(detection))
