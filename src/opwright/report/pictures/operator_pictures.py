"""The pictures of an operator's measurement; those that its record has no figures for are left out."""

from __future__ import annotations

from collections.abc import Iterator

from opwright.records.measurement import OperatorMeasurement
from opwright.report.labels import compares
from opwright.report.pictures.ceilings import roofline_picture, shares_picture
from opwright.report.pictures.lanes import (
    row_lanes,
    samples_picture,
    stage_lanes,
    stages_picture,
)
from opwright.report.pictures.marks import Picture, subjects_of
from opwright.report.pictures.ratios import ratios_picture
from opwright.report.pictures.sizes import sizes_picture


def pictures_of(operator: OperatorMeasurement) -> Iterator[Picture]:
    """Every picture that the record has figures for."""
    stages = stage_lanes(operator.stages)
    if stages:
        yield stages_picture(stages)
    if operator.ratios and compares(operator):
        yield ratios_picture(operator.ratios)
    yield from sizes_picture(operator.rows)
    yield from shares_picture(operator.rows)
    yield from roofline_picture(operator.rows)
    for case in dict.fromkeys(row.case for row in operator.rows):
        rows = [row for row in operator.rows if row.case == case]
        lanes = row_lanes(rows, subjects_of(operator.rows))
        if any(lane.processes for lane in lanes):
            yield samples_picture(case, lanes)
