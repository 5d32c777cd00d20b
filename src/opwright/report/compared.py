"""Two measurements beside each other, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from opwright.records.measurement import OperatorRatios, RatioRecord
from opwright.report.measured import ratio_cells

_COLUMNS = ("takes", "99 % interval", "verdict")


def comparison_report(operators: Sequence[OperatorRatios], *, verbose: bool = False) -> Group:
    """A row for each that both have, and why others have no verdict; ``verbose`` gives every reason."""
    parts: list[RenderableType] = []
    for operator in operators:
        parts.append(Text(operator.name, style="bold"))
        parts.append(Padding(_table(operator.ratios), (0, 0, 0, 2)))
        parts += [
            Padding(Text(told, style="dim"), (0, 0, 0, 2))
            for told in _reasons(operator.ratios, verbose)
        ]
        parts.append(Text())
    return Group(*parts)


def _table(ratios: Sequence[RatioRecord]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("", overflow="fold")
    for title in _COLUMNS:
        table.add_column(title, justify="right", no_wrap=True)
    for ratio in ratios:
        table.add_row(Text(f"{ratio.case} {ratio.subject}"), *ratio_cells(ratio))
    return table


def _reasons(ratios: Sequence[RatioRecord], verbose: bool) -> list[str]:
    """Each reason once, with how many rows it holds for: a changed machine is one reason for all."""
    told: dict[tuple[str, str], list[str]] = {}
    for ratio in ratios:
        if verbose or ratio.verdict in ("cannot tell", "not comparable"):
            told.setdefault((ratio.verdict, ratio.reason), []).append(
                f"{ratio.case} {ratio.subject}"
            )
    return [
        f"{verdict}: {reason} ({rows[0] if len(rows) == 1 else f'{len(rows)} rows'})"
        for (verdict, reason), rows in told.items()
    ]
