"""The four ways of timing a call: a table for a terminal, with the lanes of host and stream below."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from opwright.records.timing import Combination, Span, Timing
from opwright.report.measured import time_text

_WIDTH = 56
_CALL, _EARLIER, _CLOCK = "█", "░", "─"
_ASCII = str.maketrans({_CALL: "#", _EARLIER: ":", _CLOCK: "-", "├": "|", "┤": "|", "┼": "|"})


def timing_report(timing: Timing, *, ascii_only: bool = False) -> Group:
    """Everything that a reader of a terminal is to see."""

    def marked(text: str) -> str:
        return text.translate(_ASCII) if ascii_only else text

    parts: list[RenderableType] = [_headline(timing), Padding(_table(timing), (0, 0, 0, 2))]
    if timing.device_us is not None:
        told = f"The call's own time on the device: {time_text(timing.device_us)} between events."
        parts.append(Padding(Text(told), (1, 0, 0, 2)))
    for combination in timing.combinations:
        parts.append(Text())
        parts.append(Text(f"  {_named(combination)}", style="bold"))
        parts += [Text(f"    {marked(line)}", no_wrap=True) for line in lanes(combination)]
    legend = f"{_CALL} the call   {_EARLIER} earlier work   ├{_CLOCK}┤ the clock runs"
    parts.append(Text())
    parts.append(Text(f"  {marked(legend)}", style="dim"))
    if timing.spans_from:
        parts.append(Text(f"  {timing.spans_from}", style="dim"))
    return Group(*parts)


def lanes(combination: Combination, width: int = _WIDTH) -> Iterator[str]:
    """A line for the clock and one a lane, to one scale."""
    ends = [combination.clock_us[1], *(span.end_us for span in combination.spans)]
    begins = [combination.clock_us[0], *(span.begin_us for span in combination.spans)]
    start, length = min(begins), max(max(ends) - min(begins), 1e-3)

    def place(at_us: float) -> int:
        return min(width - 1, int(width * (at_us - start) / length))

    first, last = place(combination.clock_us[0]), place(combination.clock_us[1])
    clock = "┼" if first == last else f"├{_CLOCK * (last - first - 1)}┤"
    yield f"{'clock':8}{' ' * first}{clock}"
    for lane in dict.fromkeys(span.lane for span in combination.spans):
        cells = [" "] * width
        for span in (each for each in combination.spans if each.lane == lane):
            for column in range(place(span.begin_us), place(span.end_us) + 1):
                cells[column] = _mark(span)
        yield f"{lane:8}{''.join(cells).rstrip()}"


def _mark(span: Span) -> str:
    return _EARLIER if span.name == "earlier work" else _CALL


def _headline(timing: Timing) -> Text:
    label = "" if timing.label == "hardware" else f" ({timing.label}: no time here is a device's)"
    earlier = (
        f", beside {time_text(timing.earlier_us)} of earlier work" if timing.earlier_us else ""
    )
    return Text.assemble(
        (timing.operator, "bold"), f" on {timing.target}{label}, {timing.case}{earlier}"
    )


def _table(timing: Timing) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for title in ("waits before", "waits after"):
        table.add_column(title)
    table.add_column("median", justify="right", no_wrap=True)
    table.add_column("what was measured", overflow="fold")
    for each in timing.combinations:
        median = time_text(statistics.median(each.times_us))
        table.add_row(_yes(each.before), _yes(each.after), median, each.measured)
    return table


def _named(combination: Combination) -> str:
    parts: Sequence[str] = [
        f"{'waits' if combination.before else 'does not wait'} before",
        f"{'waits' if combination.after else 'does not wait'} after",
    ]
    return ", ".join(parts)


def _yes(value: bool) -> str:
    return "yes" if value else "no"
