"""Raw samples: a band for each subject or stage, with every sample in its order, and what was made of them."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import matplotlib as mpl
from matplotlib.axes import Axes

from opwright.records.measurement import Row, Stage
from opwright.report.measured import time_text
from opwright.report.pictures.marks import Picture, colour_of, lane_title
from opwright.report.pictures.scales import finite, fit, time_ticks

_AS_AN_IMAGE = 1500  # from so many points on, vectors would make the file large


@dataclass(frozen=True)
class Lane:
    """Samples of one subject in microseconds, a tuple for each process, and what was made of them."""

    title: str
    colour: str
    processes: tuple[tuple[float, ...], ...]
    median_us: float
    interval_us: tuple[float, float] | None = None


def row_lanes(
    rows: Sequence[Row], subjects: Sequence[str], *, cases: bool = False
) -> tuple[Lane, ...]:
    """A lane for each row; with ``cases`` its title names its case, too."""
    return tuple(
        Lane(
            f"{row.subject} · {row.case}" if cases else row.subject,
            colour_of(subjects.index(row.subject)),
            tuple(each.times_us for each in row.series if each.times_us),
            row.estimate.median_us,
            (row.estimate.low_us, row.estimate.high_us),
        )
        for row in rows
    )


def stage_lanes(stages: Sequence[Stage]) -> tuple[Lane, ...]:
    """A lane for each stage that was seen at all."""
    seen = [stage for stage in stages if stage.times_us]
    return tuple(
        Lane(
            stage.name,
            colour_of(0),
            tuple((time_us,) for time_us in stage.times_us),
            statistics.median(stage.times_us),
        )
        for stage in seen
    )


def lanes_picture(kind: str, title: str, lanes: tuple[Lane, ...]) -> Picture:
    """All of them below each other, on one scale."""
    said = ", ".join(f"{lane.title} {time_text(lane.median_us)}" for lane in lanes)
    return Picture(
        kind,
        title,
        f"{title}. Medians: {said}",
        0.55 + 0.6 * len(lanes),
        partial(draw_lanes, lanes),
    )


def draw_lanes(lanes: Sequence[Lane], axes: Axes) -> None:
    """A band for each lane: time to the right, and downwards the samples in their order, process by process."""
    sizes = [len(times) for lane in lanes for times in lane.processes]
    shown: list[float] = []
    for top, lane in enumerate(lanes):
        lane_title(axes, top, lane.title, time_text(lane.median_us))
        height = 0.6 / max(1, len(lane.processes))
        for process, times in enumerate(lane.processes):
            start = top + 0.34 + height * process
            places = [start + height * (k + 0.5) / len(times) for k in range(len(times))]
            axes.plot(
                times,
                places,
                linestyle="none",
                marker="o",
                markersize=2.6 if max(sizes) < 200 else 1.8,
                markeredgewidth=0,
                alpha=0.55,
                color=lane.colour,
                rasterized=sum(sizes) > _AS_AN_IMAGE,
            )
            shown += times
        _estimate(axes, top, lane)
        shown += [lane.median_us, *(lane.interval_us or ())]
    axes.set_ylim(len(lanes), 0)
    axes.get_yaxis().set_visible(False)
    axes.spines["left"].set_visible(False)
    fit(axes, "x", shown, time_ticks())


def _estimate(axes: Axes, top: int, lane: Lane) -> None:
    ink = mpl.rcParams["text.color"]
    axes.plot([lane.median_us] * 2, [top + 0.3, top + 0.98], color=ink, linewidth=1.4)
    if lane.interval_us and len(finite(lane.interval_us)) == 2:
        low, high = lane.interval_us
        height = [top + 0.3, top + 0.98]
        axes.fill_betweenx(height, low, high, color=lane.colour, alpha=0.16, linewidth=0)
