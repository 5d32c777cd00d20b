"""How near calls come to what the device can do, where the record has figures of that."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes

from opwright.records.measurement import Row
from opwright.report.pictures.marks import Picture, colour_of, lane_title, shortened, subjects_of
from opwright.report.pictures.scales import count_ticks, fit, percent_ticks


def _figures(rows: Sequence[Row], *names: str) -> list[tuple[Row, dict[str, Any]]]:
    """The rows whose roofline has all these as positive numbers."""

    def number(value: object) -> bool:
        return isinstance(value, int | float) and math.isfinite(value) and value > 0

    return [
        (row, row.roofline) for row in rows if all(number(row.roofline.get(name)) for name in names)
    ]


def shares_picture(rows: Sequence[Row]) -> Iterator[Picture]:
    """The part of a copy's bytes a second that each row reaches, for rows that say so."""
    found = _figures(rows, "fraction_of_copy")
    if found:
        said = "; ".join(
            f"{row.subject} on {row.case} {100 * figures['fraction_of_copy']:.0f} %"
            for row, figures in found
        )
        yield Picture(
            "ceilings",
            "How near the measured ceiling of a copy",
            f"Bytes a second in parts of what a copy reaches here: {said}",
            0.55 + 0.4 * len(found),
            partial(_draw_shares, found, subjects_of(rows)),
        )


def _draw_shares(
    found: Sequence[tuple[Row, dict[str, Any]]], subjects: Sequence[str], axes: Axes
) -> None:
    for top, (row, figures) in enumerate(found):
        share = figures["fraction_of_copy"]
        beyond = " impossible" if "impossible" in figures else ""
        lane_title(
            axes, top, f"{row.subject} · {row.case}", f"{100 * share:.0f} %{beyond}", at=0.34
        )
        colour = colour_of(subjects.index(row.subject))
        axes.barh(top + 0.72, share, height=0.3, color=colour, linewidth=0)
    axes.set_ylim(len(found), 0)
    axes.get_yaxis().set_visible(False)
    axes.spines["left"].set_visible(False)
    axes.axvline(1.0, color=mpl.rcParams["text.color"], linewidth=1.0)
    shares = [figures["fraction_of_copy"] for _, figures in found]
    fit(axes, "x", [0.0, 1.2, *(1.1 * share for share in shares)], percent_ticks())
    axes.set_xlim(left=0)


def roofline_picture(rows: Sequence[Row]) -> Iterator[Picture]:
    """Operations a second over operations a byte, for rows whose operations are known."""
    found = _figures(rows, "bytes", "flops", "tflop_s", "gb_s", "fraction_of_copy")
    if found:
        said = "; ".join(
            f"{row.subject} on {row.case} {figures['tflop_s']:.3g} TFLOP/s"
            for row, figures in found
        )
        yield Picture("roofline", "Roofline", said, 2.9, partial(_draw_roofline, found))


def _draw_roofline(found: Sequence[tuple[Row, dict[str, Any]]], axes: Axes) -> None:
    """Roofs are the ceilings that the figures were held against; small calls have a lower one of their own."""
    subjects = subjects_of([row for row, _ in found])
    points = [(figures["flops"] / figures["bytes"], figures["tflop_s"]) for _, figures in found]
    roofs = [_roof(figures) for _, figures in found]
    knees = [flat / slope for slope, flat in roofs if math.isfinite(flat)]
    left = min(at for at, _ in points) / 3
    right = max(3 * max(at for at, _ in points), 2 * max(knees, default=0.0))
    heights = [height for _, height in points]
    for slope, flat in roofs:
        knee = min(max(flat / slope, left), right)
        roof = [(at, min(at * slope, flat)) for at in (left, knee, right)]
        axes.plot(*zip(*roof, strict=True), color=mpl.rcParams["axes.labelcolor"], linewidth=0.9)
        heights += [height for _, height in roof]
    for (row, _), (at, height) in zip(found, points, strict=True):
        axes.plot([at], [height], "o", markersize=6, color=colour_of(subjects.index(row.subject)))
    for place, subject in enumerate(subjects):
        axes.plot([], [], "o", color=colour_of(place), label=shortened(subject, 30))
    fit(axes, "x", [left, right], count_ticks())
    fit(axes, "y", heights, count_ticks())
    axes.set_xlabel("operations a byte")
    axes.set_ylabel("TFLOP/s")
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, borderaxespad=0)


def _roof(figures: dict[str, Any]) -> tuple[float, float]:
    """TFLOP/s for each operation a byte, and at most; the latter is infinite where it was not measured."""
    slope = figures["gb_s"] / figures["fraction_of_copy"] / 1e3
    share = figures.get("fraction_of_matmul") or 0.0
    return slope, figures["tflop_s"] / share if share > 0 else math.inf
