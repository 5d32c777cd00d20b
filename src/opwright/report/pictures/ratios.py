"""Ratios with their intervals, and what was made of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import matplotlib as mpl
from matplotlib.axes import Axes

from opwright.records.measurement import RatioRecord
from opwright.report.pictures.marks import Picture, lane_title
from opwright.report.pictures.scales import finite, fit, ratio_ticks

_VERDICT_COLOURS = {"faster": "#1f9d55", "slower": "#e5484d"}
_OTHER = "#808a94"


def ratios_picture(ratios: Sequence[RatioRecord]) -> Picture:
    """The operator's time over each other subject's, with intervals, on one scale around 1."""
    said = "; ".join(f"{each.verdict} against {each.against} on {each.case}" for each in ratios)
    return Picture(
        "ratios",
        "The operator's time in parts of the other's",
        f"Ratios with their intervals: {said}",
        0.7 + 0.42 * len(ratios),
        partial(draw_ratios, ratios),
    )


def draw_ratios(
    ratios: Sequence[RatioRecord],
    axes: Axes,
    tops: Sequence[float] | None = None,
    bottom: float | None = None,
) -> None:
    """A line for each ratio from one end of its interval to the other; what has no ratio has its verdict.

    ``tops`` says where the lanes of rows begin that they stand beside, and ``bottom`` where the last one
    ends; else one comes below the other.
    """
    shown = [1.0]
    several = len({each.against for each in ratios}) > 1
    axes.axvline(1.0, color=mpl.rcParams["axes.labelcolor"], linewidth=1.0)
    for top, each in zip(tops or range(len(ratios)), ratios, strict=True):
        value = "" if each.ratio is None else f"{each.ratio:.3f}× "
        named = f"{each.against} · {each.case}" if several else each.case
        title = f"against {each.against}" if tops else named
        lane_title(axes, top, title, f"{value}{each.verdict}", at=0.34)
        shown += _draw_interval(each, axes, top + 0.7)
    axes.set_ylim(bottom or len(ratios), 0)
    axes.get_yaxis().set_visible(False)
    axes.spines["left"].set_visible(False)
    fit(axes, "x", shown, ratio_ticks())
    axes.set_xlabel("below 1×: the operator is faster")


def _draw_interval(each: RatioRecord, axes: Axes, height: float) -> list[float]:
    """The values that have to be on the scale for it; none where there is no ratio."""
    if each.ratio is None or not finite([each.ratio]) or each.ratio <= 0:
        return []
    colour = _VERDICT_COLOURS.get(each.verdict, _OTHER)
    ends = [end for end in (each.low, each.high) if end is not None and end > 0]
    ends = finite(ends) or [each.ratio]
    axes.plot([min(ends), max(ends)], [height] * 2, color=colour, linewidth=2.2)
    axes.plot([each.ratio], [height], marker="o", markersize=6, color=colour)
    return [each.ratio, *ends]
