"""The table of a self-test: what was caught, missed and not checkable here, by check and in total."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from opwright.records.detection import ANSWERS, Answer, Detection
from opwright.report.figures import count_text

_STYLES: dict[Answer, str] = {"caught": "green", "missed": "bold red", "not checkable": "yellow"}


def detection_report(detection: Detection) -> RenderableType:
    """The table; then every miss, every reason why something could not be tried, and every false alarm."""
    return Group(detection_table(detection), *_told(detection))


def detection_table(detection: Detection) -> Table:
    """One row a check, counting the defects that it has to find, and one for all operators."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("check")
    for title in ("planted", "caught", "missed", "not checkable\nhere"):
        table.add_column(title, justify="right", vertical="bottom")
    for check, counts in detection.by_check().items():
        table.add_row(check, str(sum(counts.values())), *_counts(counts))
    totals = detection.totals()
    counts = {
        "caught": totals["caught"],
        "missed": totals["missed"],
        "not checkable": totals["planted"] - totals["checkable"],
    }
    operators = Text(str(totals["planted"]), style="bold")
    table.add_row(Text("operators", style="bold"), operators, *_counts(counts), style="bold")
    return table


def _counts(counts: dict[Answer, int]) -> list[Text]:
    return [
        Text(str(counts[answer]), style=_STYLES[answer]) if counts[answer] else Text("-", "dim")
        for answer in ANSWERS
    ]


def _told(detection: Detection) -> Iterator[RenderableType]:
    answers: tuple[Answer, ...] = ("missed", "not checkable")
    for answer in answers:
        rows = [(t.defect, t.check, t.reason) for t in detection.trials if t.answer == answer]
        if rows:
            title = "not checkable here" if answer == "not checkable" else answer
            yield from _section(title, _STYLES[answer], rows)
    alarms = [(alarm.operator, alarm.check, alarm.message) for alarm in detection.alarms]
    if alarms:
        yield from _section("false alarms", _STYLES["missed"], alarms)
    untried = [(t.operator, "", t.reason) for t in detection.correct if t.reason]
    if untried:
        yield from _section("correct operators not run here", "yellow", untried)
    tried = count_text(detection.totals()["correct_operators"], "correct operator")
    yield Text()
    yield Text(f"{tried}, false alarms on {detection.false_alarms}")


def _section(title: str, style: str, rows: list[tuple[str, str, str]]) -> Iterator[RenderableType]:
    yield Text()
    yield Text(title, style=style)
    grid = Table.grid(padding=(0, 2, 0, 0))
    for name, check, reason in rows:
        grid.add_row(name, Text(check, "dim"), Text(reason.splitlines()[0] if reason else ""))
    yield Padding(grid, (0, 0, 0, 2))
