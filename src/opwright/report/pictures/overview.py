"""A whole measurement as one picture, for a file of its own."""

from __future__ import annotations

from matplotlib.axes import Axes

from opwright.records.measurement import Measurement, OperatorMeasurement
from opwright.report.labels import compares
from opwright.report.pictures.drawing import for_a_file, new_figure, picture_file
from opwright.report.pictures.lanes import Lane, draw_lanes, row_lanes, stage_lanes
from opwright.report.pictures.marks import shortened, subjects_of
from opwright.report.pictures.ratios import draw_ratios

_WIDTH_INCHES = 10.0
_LANE_INCHES, _AROUND_INCHES = 0.6, 0.9


def overview_file(measurement: Measurement, suffix: str) -> bytes:
    """The content of a picture with every operator: samples or stages to the left, ratios to the right."""
    shown = [each for each in measurement.operators if _lanes_of(each)]
    heights = [_LANE_INCHES * len(_lanes_of(each)) + _AROUND_INCHES for each in shown]
    with for_a_file():
        figure = new_figure(_WIDTH_INCHES, max(1.0, sum(heights)))
        if not shown:
            figure.text(0.5, 0.5, "nothing was measured", ha="center", va="center")
            return picture_file(figure, suffix)
        grid = figure.add_gridspec(len(shown), 2, height_ratios=heights, width_ratios=(3, 2))
        for place, operator in enumerate(shown):
            wide = not (operator.ratios and compares(operator))
            _draw_left(operator, figure.add_subplot(grid[place, :] if wide else grid[place, 0]))
            if not wide:
                axes = figure.add_subplot(grid[place, 1])
                draw_ratios(operator.ratios, axes, *_beside_rows(operator))
                axes.set_title("the operator's time in parts of the other's", fontweight="normal")
        return picture_file(figure, suffix)


def _lanes_of(operator: OperatorMeasurement) -> tuple[Lane, ...]:
    lanes = row_lanes(operator.rows, subjects_of(operator.rows), cases=True)
    return lanes or stage_lanes(operator.stages)


def _beside_rows(operator: OperatorMeasurement) -> tuple[list[float] | None, float | None]:
    """Where ratios stand beside the rows of what they are against, and where the last row ends."""
    places = {(row.case, row.subject): float(place) for place, row in enumerate(operator.rows)}
    tops = [places.get((ratio.case, ratio.against)) for ratio in operator.ratios]
    known = [top for top in tops if top is not None]
    return (known, len(operator.rows)) if len(known) == len(tops) else (None, None)


def _draw_left(operator: OperatorMeasurement, axes: Axes) -> None:
    label = "" if operator.label == "hardware" else f" ({operator.label})"
    draw_lanes(_lanes_of(operator), axes)
    axes.set_title(shortened(f"{operator.name} on {operator.target}{label}", 60))
