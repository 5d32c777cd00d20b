"""How time grows with size."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

from matplotlib.axes import Axes

from opwright.records.measurement import Row
from opwright.report.pictures.marks import Picture, colour_of, shortened, subjects_of
from opwright.report.pictures.scales import count_ticks, fit, time_ticks

_MARKERS = "osD^vP"


def sizes_picture(rows: Sequence[Row]) -> Iterator[Picture]:
    """Only where there are several sizes."""
    if len({_extent(row) for row in rows}) < 2 or not all(_extent(row) for row in rows):
        return
    names = " × ".join(dict.fromkeys(name for row in rows for name in row.sizes))
    subjects = ", ".join(subjects_of(rows))
    yield Picture(
        "sizes",
        "Sizes against time",
        f"Median times of {subjects} over {names}; the table has the numbers",
        2.9,
        partial(_draw_sizes, rows, names),
    )


def _extent(row: Row) -> int:
    """The product of all sizes."""
    sizes = row.sizes.values()
    return math.prod(math.prod(size) if isinstance(size, list | tuple) else size for size in sizes)


def _draw_sizes(rows: Sequence[Row], names: str, axes: Axes) -> None:
    subjects = subjects_of(rows)
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.subject, _further(row)), []).append(row)
    several = len({further for _, further in groups}) > 1
    for place, ((subject, further), group) in enumerate(groups.items()):
        group.sort(key=_extent)
        estimates = [row.estimate for row in group]
        below = [max(0.0, e.median_us - e.low_us) for e in estimates]
        above = [max(0.0, e.high_us - e.median_us) for e in estimates]
        axes.errorbar(
            [_extent(row) for row in group],
            [e.median_us for e in estimates],
            yerr=[below, above],
            color=colour_of(subjects.index(subject)),
            marker=_MARKERS[place % len(_MARKERS)],
            markersize=5,
            linewidth=1.4,
            elinewidth=1.0,
            capsize=2.5,
            label=shortened(f"{subject}, {further}" if several else subject, 44),
        )
    ends = [end for row in rows for end in (row.estimate.low_us, row.estimate.high_us)]
    fit(axes, "x", [_extent(row) for row in rows], count_ticks())
    fit(axes, "y", [*ends, *(row.estimate.median_us for row in rows)], time_ticks())
    axes.set_xlabel(shortened(names, 60))
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=1 if several else 3, borderaxespad=0)


def _further(row: Row) -> str:
    """What a row has besides sizes: dtypes and scalars."""
    return " ".join([*row.dtypes.values(), *(f"{k}={v}" for k, v in row.scalars.items())])
