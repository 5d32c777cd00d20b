"""``opwright selftest``: which faults the checks can find on this machine, shown with planted ones."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from opwright.cli.options import verbosity_options

if TYPE_CHECKING:
    from opwright.records.detection import Detection
    from opwright.session.selftest import Chosen


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
    from opwright.session.selftest import Chosen

    chosen = Chosen(only, quick)
    silent = quiet or as_json
    with log_lines(quiet=True, verbose=verbose and not silent):
        detection = run(chosen, silent=silent)
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


def run(chosen: Chosen, *, silent: bool) -> Detection:
    """Try every chosen defect and correct operator, one after the other in one worker."""
    from opwright.cli.terminal import aside
    from opwright.records.detection import Detection
    from opwright.session.checking import checking
    from opwright.session.planted import correct_folders, defects
    from opwright.session.selftest import try_correct, try_defect

    console = aside()
    with checking() as worker:  # it imports torch meanwhile
        planted, folders = chosen.defects(defects()), chosen.correct(correct_folders())
        total, trials, correct = len(planted) + len(folders), [], []
        for number, defect in enumerate(planted, 1):
            found = list(try_defect(worker, defect, chosen))
            trials += found
            if not silent:
                told = ", ".join(f"{trial.check} {trial.answer}" for trial in found)
                console.print(f"[{number}/{total}] {defect.name}: {told}", soft_wrap=True)
        for number, folder in enumerate(folders, len(planted) + 1):
            correct.append(try_correct(worker, folder, chosen))
            if not silent:
                told = "false alarm" if correct[-1].alarms else correct[-1].reason or "no finding"
                console.print(f"[{number}/{total}] {folder.name}: {told}", soft_wrap=True)
    return Detection(tuple(trials), tuple(correct))


def _show(detection: Detection) -> None:
    from opwright.cli.terminal import output
    from opwright.report.detection import detection_report

    output().print(detection_report(detection))
