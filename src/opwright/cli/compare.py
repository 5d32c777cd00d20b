"""``opwright compare``: what has become faster or slower between two measurements."""

from __future__ import annotations

from pathlib import Path

import click

from opwright.cli.options import bound_option

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command("compare")
@click.argument("before", type=_FILE, metavar="BEFORE.json")
@click.argument("after", type=_FILE, metavar="AFTER.json")
@bound_option
@click.option("-v", "--verbose", is_flag=True, help="Say why each verdict is what it is.")
def command(*, before: Path, after: Path, bound: float, verbose: bool) -> None:
    """Say what is faster or slower than in an earlier measurement.

    Both are files that `opwright bench --json` wrote.
    A row is faster, slower or the same; cannot tell says what is lacking, not comparable what differs
    besides the operator. Ends with 6 where an operator has become slower by more than the bound.
    """
    from opwright.cli.terminal import output
    from opwright.records.measurement import read_measurement
    from opwright.report.compared import comparison_report
    from opwright.session.comparing import compare, require_no_regression

    ratios = compare(read_measurement(before), read_measurement(after), bound)
    output().print(comparison_report(ratios, verbose=verbose), crop=False)
    require_no_regression(ratios, bound)
