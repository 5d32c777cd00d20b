"""The table of a check run: one row an operator, and one a check below it."""

from __future__ import annotations

from collections.abc import Iterable

from rich.table import Table
from rich.text import Text

from opwright.records.run import OperatorRecord
from opwright.records.summary import CheckSummary, check_summaries
from opwright.records.verdict import VERDICTS
from opwright.report.figures import figure_text, seconds_text
from opwright.report.titles import titled
from opwright.report.verdicts import count, sign

LEGEND = (
    "ULP: largest error of the operator (max) and of its reference (ref) against the float64 oracle, left "
    "out of a pass where sums cancel: near zero it counts what is no error. "
    "vs ref: the operator's largest error over the reference's at that dtype and magnitude. float64 "
    "has no such figures: there the reference is the oracle."
)
_TELLING_ULP = 1000.0
_COLUMNS = (
    "cases",
    "pass",
    "fail",
    "not\nchecked",
    "error",
    "max\nULP",
    "ref\nULP",
    "vs\nref",
    "time",
)


def check_table(operators: Iterable[OperatorRecord], *, ascii_only: bool = False) -> Table:
    """Counts of verdicts, worst figures and seconds of every check of every operator."""
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("", overflow="fold")
    for title in _COLUMNS:
        table.add_column(title, justify="right", no_wrap=True, vertical="bottom")
    for title, operator in titled(operators):
        table.add_row(*_operator_row(title, operator, ascii_only))
        if operator.artifact:
            table.add_row(*_build_row(operator))
        for summary in check_summaries(operator):
            table.add_row(*_check_row(summary, ascii_only))
    return table


def _operator_row(title: str, operator: OperatorRecord, ascii_only: bool) -> list[Text]:
    verdict = operator.verdict
    name = Text.assemble(sign(verdict, ascii_only=ascii_only), " ", (title, "bold"))
    counts = operator.counts()
    return [
        name,
        Text(str(len(operator.cases)), style="bold"),
        *(count(counts[verdict], verdict) for verdict in VERDICTS),
        *(Text(), Text(), Text()),
        Text(seconds_text(operator.seconds), style="bold"),
    ]


def _build_row(operator: OperatorRecord) -> list[Text]:
    hit = operator.artifact.get("hit")
    name = Text(f"    {'found in the store' if hit else 'build'}", style="dim")
    blank = [Text() for _ in _COLUMNS[1:]]
    return [name, *blank, Text(seconds_text(operator.artifact["seconds"]), style="dim")]


def _check_row(summary: CheckSummary, ascii_only: bool) -> list[Text]:
    ratio = figure_text(summary.vs_reference)
    ulps = (summary.max_ulp, summary.reference_ulp)
    if summary.verdict == "pass" and any(ulp is not None and ulp >= _TELLING_ULP for ulp in ulps):
        ulps = (None, None)
        if summary.vs_reference is not None and summary.vs_reference >= _TELLING_ULP:
            ratio = ""  # of two errors that say nothing
    return [
        Text.assemble("  ", sign(summary.verdict, ascii_only=ascii_only), f" {summary.check}"),
        Text(str(summary.cases)),
        *(count(summary.counts[verdict], verdict) for verdict in VERDICTS),
        Text(figure_text(ulps[0])),
        Text(figure_text(ulps[1]), style="dim"),
        Text(f"{ratio}{'x' if ascii_only else '×'}" if ratio else ""),
        Text(seconds_text(summary.seconds), style="dim"),
    ]
