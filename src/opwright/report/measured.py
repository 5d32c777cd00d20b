"""A whole run of measurements for a terminal: what was timed, how, and what that shows."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from typing import cast

from rich.console import Group, JustifyMethod, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from opwright.records.measurement import Measurement, OperatorMeasurement, RatioRecord, Row, Stage
from opwright.report.figures import count_text, size_text

RATIO_STYLES = {
    "faster": "bold green",
    "slower": "bold red",
    "same": "",
    "cannot tell": "yellow",
    "not comparable": "yellow",
}
# Title and width: one table a case, and all of them aligned.
_COLUMNS = (
    ("median", 8),
    ("±", 7),
    ("samples", 7),
    ("of\ncopy", 5),
    ("operator\ntakes", 8),
    ("99 % interval", 14),
    ("verdict", 11),
)
_SUBJECT_WIDTH = 10


def measurement_report(measurement: Measurement, *, verbose: bool = False) -> Group:
    """Everything that a reader of a terminal is to see; ``verbose`` adds why each verdict is what it is."""
    return Group(*_parts(measurement, verbose))


def time_text(time_us: float) -> str:
    """Three telling digits with their unit: ``3.21 µs``, ``1.23 ms``."""
    for unit, scale in (("µs", 1.0), ("ms", 1e3)):
        if time_us < 999.5 * scale:
            return f"{time_us / scale:.3g} {unit}" if time_us >= 0.01 else f"{time_us:.3f} {unit}"
    seconds = time_us / 1e6
    return f"{seconds:.3g} s" if seconds < 999.5 else f"{seconds:.0f} s"


def ratio_cells(ratio: RatioRecord) -> list[Text]:
    """``0.512 x``, ``0.506 to 0.518`` and the verdict: the first one's time in parts of the other's."""
    if ratio.ratio is None or ratio.low is None or ratio.high is None:
        return [Text(), Text(), Text(ratio.verdict, style=RATIO_STYLES[ratio.verdict])]
    return [
        Text(f"{ratio.ratio:.3f} x" if ratio.ratio < 999.5 else f"{ratio.ratio:.0f} x"),
        Text(interval_text(ratio.low, ratio.high), style="dim"),
        Text(ratio.verdict, style=RATIO_STYLES[ratio.verdict]),
    ]


def interval_text(low: float, high: float) -> str:
    """``0.506 to 0.518``; ``open`` where it has no end."""
    if not (low > 0 and math.isfinite(high)):
        return "open"
    return " to ".join(f"{end:.3f}" if end < 9.9995 else f"{end:.3g}" for end in (low, high))


def spread_text(value: float, low: float, high: float) -> str:
    """``1.2 %``: how far the farther end of an interval lies off."""
    if not (value > 0 and low > 0 and math.isfinite(high)):
        return "?"
    percent = 100 * max(value / low - 1, high / value - 1)
    return f"{percent:.1f} %" if percent < 99.95 else ">99 %"


def _parts(measurement: Measurement, verbose: bool) -> Iterator[RenderableType]:
    for operator in measurement.operators:
        yield _headline(operator)
        if operator.stages:
            yield Padding(_stages(operator.stages), (0, 0, 0, 2))
        if operator.rows:
            yield from _tables(operator)
            yield from _remarks(operator, verbose)
        yield Text()


def _headline(operator: OperatorMeasurement) -> Text:
    label = "" if operator.label == "hardware" else f" ({operator.label})"
    digest = str(operator.artifact.get("digest", ""))[:12]
    facts = [f"binary {digest}"] if digest else []
    if operator.rows:
        facts = [f"timer {operator.rows[0].timer}", f"cache {operator.rows[0].cache}", *facts]
    told_wrong = operator.checked.startswith(("failed", "had errors"))
    return Text.assemble(
        (operator.name, "bold"),
        ", ".join([f" on {operator.target}{label}", *facts, ""]),
        (operator.checked, "red" if told_wrong else ""),
    )


def _stages(stages: Sequence[Stage]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for title, side in (("", "left"), ("median", "right"), ("least", "right"), ("most", "right")):
        table.add_column(title, justify=cast("JustifyMethod", side))
    table.add_column("fresh\nprocesses", justify="right")
    for stage in stages:
        times = stage.times_us
        figures = [statistics.median(times), min(times), max(times)]
        table.add_row(stage.name, *map(time_text, figures), str(len(times)))
    return table


def _tables(operator: OperatorMeasurement) -> Iterator[RenderableType]:
    """A line and a table a case; the first table has the titles."""
    ratios = {(ratio.case, ratio.against): ratio for ratio in operator.ratios}
    for case in dict.fromkeys(row.case for row in operator.rows):
        rows = [row for row in operator.rows if row.case == case]
        table = Table(
            box=None,
            padding=(0, 1, 0, 0),
            pad_edge=False,
            header_style="dim",
            show_header=rows[0] is operator.rows[0],
        )
        table.add_column("", overflow="fold", width=_SUBJECT_WIDTH)
        for title, width in _COLUMNS:
            table.add_column(title, justify="right", no_wrap=True, vertical="bottom", width=width)
        for row in rows:
            table.add_row(*_cells(row, ratios.get((case, row.subject))))
        yield Padding(Text(case, style="bold"), (0, 0, 0, 2))
        yield Padding(table, (0, 0, 0, 2))
        if any("allocated_peak_bytes" in row.memory_bytes for row in rows):
            yield Padding(Text(_memory(rows), style="dim"), (0, 0, 0, 2))


def _cells(row: Row, ratio: RatioRecord | None) -> list[Text]:
    estimate = row.estimate
    unsure = "*" if row.unreliable else ""
    return [
        Text(f"{row.subject}{unsure}"),
        Text(time_text(estimate.median_us)),
        Text(spread_text(estimate.median_us, estimate.low_us, estimate.high_us), style="dim"),
        Text(str(estimate.samples), style="dim"),
        Text(_of_copy(row)),
        *(ratio_cells(ratio) if ratio else [Text(), Text(), Text()]),
    ]


def _of_copy(row: Row) -> str:
    """``83 %``: of the bytes a second that a copy of as many moves here."""
    fraction = row.roofline.get("fraction_of_copy")
    if fraction is None:
        return ""
    return f"{100 * fraction:.0f} %" if fraction < 9.995 else ">999%"


def _memory(rows: Sequence[Row]) -> str:
    """``memory: operator 32.8 kB, reference 81.9 kB``: what the allocator's peak rose by."""
    known = [
        f"{row.subject} {size_text(row.memory_bytes['allocated_peak_bytes'])}"
        for row in rows
        if "allocated_peak_bytes" in row.memory_bytes
    ]
    return f"memory: {', '.join(known)}"


def _remarks(operator: OperatorMeasurement, verbose: bool) -> Iterator[RenderableType]:
    doubts: dict[str, list[str]] = {}
    for row in operator.rows:
        for why in row.unreliable:
            doubts.setdefault(why, []).append(f"{row.subject} on {row.case}")
    for why, rows in doubts.items():
        told = f"* {why} ({rows[0] if len(rows) == 1 else f'{len(rows)} rows'})"
        yield Padding(Text(told, style="yellow"), (0, 0, 0, 2))
    for ratio in operator.ratios:
        if verbose or ratio.verdict in ("cannot tell", "not comparable"):
            told = f"{ratio.verdict} against {ratio.against} on {ratio.case}: {ratio.reason}"
            yield Padding(Text(told, style="dim"), (0, 0, 0, 2))
    for ratio in operator.ratios:
        if ratio.whole_model is not None:
            told = (
                f"a model that spends {ratio.share_percent:g} % of its time in {ratio.against} on {ratio.case} "
                f"becomes {ratio.whole_model:.3f} times as fast"
            )
            yield Padding(Text(told), (0, 0, 0, 2))
    rechecked = sum(row.rechecked for row in operator.rows)
    told = f"{count_text(rechecked, 'timed call')} looked at again: every output right"
    yield Padding(Text(told, style="dim"), (0, 0, 0, 2))
