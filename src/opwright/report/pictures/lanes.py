"""Raw samples: a band for each subject or stage, with every sample in its order, and what was made of them."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes

from opwright.records.measurement import Row, Stage
from opwright.report.measured import time_text
from opwright.report.pictures.marks import Picture, colour_of, lane_title
from opwright.report.pictures.scales import finite, fit, percent_ticks, time_ticks

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


def samples_picture(case: str, lanes: tuple[Lane, ...]) -> Picture:
    """How samples scatter: each lane in parts of its own median, or those of quick subjects would be one line."""
    return _picture("samples", f"Every sample: {case}", lanes, of_median=True)


def stages_picture(lanes: tuple[Lane, ...]) -> Picture:
    """The stages of a start below each other, on one scale of times."""
    return _picture("stages", "How a program starts", lanes, of_median=False)


def _picture(kind: str, title: str, lanes: tuple[Lane, ...], *, of_median: bool) -> Picture:
    said = ", ".join(f"{lane.title} {time_text(lane.median_us)}" for lane in lanes)
    return Picture(
        kind,
        title,
        f"{title}. Medians: {said}",
        0.55 + 0.15 * of_median + 0.6 * len(lanes),
        partial(draw_lanes, lanes, of_median=of_median),
    )


def draw_lanes(lanes: Sequence[Lane], axes: Axes, *, of_median: bool = False) -> None:
    """A band for each lane: time to the right, and downwards the samples in their order, process by process.

    With ``of_median`` times are in parts of their lane's median.
    """
    sizes = [len(times) for lane in lanes for times in lane.processes]
    dots = {
        "markersize": 2.6 if max(sizes, default=0) < 200 else 1.8,
        "rasterized": sum(sizes) > _AS_AN_IMAGE,
    }
    shown: list[float] = []
    for top, lane in enumerate(lanes):
        lane_title(axes, top, lane.title, time_text(lane.median_us))
        unit_us = lane.median_us if of_median else 1.0
        if not math.isfinite(lane.median_us) or unit_us <= 0:
            continue
        shown += _draw_samples(axes, top, lane, unit_us, dots)
        shown += _draw_estimate(axes, top, lane, unit_us)
    axes.set_ylim(len(lanes), 0)
    axes.get_yaxis().set_visible(False)
    axes.spines["left"].set_visible(False)
    fit(axes, "x", shown, percent_ticks() if of_median else time_ticks())
    if of_median:
        axes.set_xlabel("of the lane's own median")


def _draw_samples(
    axes: Axes, top: int, lane: Lane, unit_us: float, dots: dict[str, Any]
) -> list[float]:
    """The values that have to be on the scale for them."""
    height = 0.6 / max(1, len(lane.processes))
    shown: list[float] = []
    for process, times_us in enumerate(lane.processes):
        start = top + 0.34 + height * process
        values = [time_us / unit_us for time_us in times_us]
        axes.plot(
            values,
            [start + height * (k + 0.5) / len(values) for k in range(len(values))],
            linestyle="none",
            marker="o",
            markeredgewidth=0,
            alpha=0.55,
            color=lane.colour,
            **dots,
        )
        shown += values
    return shown


def _draw_estimate(axes: Axes, top: int, lane: Lane, unit_us: float) -> list[float]:
    """The values that have to be on the scale for it."""
    height = [top + 0.3, top + 0.98]
    median = lane.median_us / unit_us
    axes.plot([median] * 2, height, color=mpl.rcParams["text.color"], linewidth=1.4)
    interval = finite([end / unit_us for end in lane.interval_us or ()])
    if len(interval) == 2:
        low, high = interval
        axes.fill_betweenx(height, low, high, color=lane.colour, alpha=0.16, linewidth=0)
    return [median, *interval]
