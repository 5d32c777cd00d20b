from __future__ import annotations

import math
import struct
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import replace

import matplotlib as mpl
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import FillBetweenPolyCollection

from made_measurement import (
    ATTACKED,
    BARE,
    EMPTY,
    FULL,
    STAGES,
    made_operator,
    made_ratio,
    made_row,
)
from opwright.report.measured import time_text
from opwright.report.pictures import drawing
from opwright.report.pictures.drawing import for_a_page, inline_svg, new_figure
from opwright.report.pictures.lanes import draw_lanes, row_lanes
from opwright.report.pictures.marks import Picture, shortened
from opwright.report.pictures.operator_pictures import pictures_of
from opwright.report.pictures.overview import overview_file
from opwright.report.pictures.scales import count_ticks, fit, percent_ticks, ratio_ticks, time_ticks

PNG = b"\x89PNG\r\n\x1a\n"
WHOLE = {"full": FULL, "empty": EMPTY, "bare": BARE, "attacked": ATTACKED}


def drawn(picture: Picture) -> Axes:
    with for_a_page():
        axes = new_figure(4.5, picture.height_inches).add_subplot()
        picture.draw(axes)
    return axes


def picture_of(kind: str, **changes: object) -> Picture:
    return next(each for each in pictures_of(made_operator(**changes)) if each.kind == kind)


def lines(axes: Axes, marker: str) -> list[list[float]]:
    """The times of all lines with this marker."""
    return [list(line.get_xdata()) for line in axes.lines if line.get_marker() == marker]


def bands(axes: Axes) -> list[tuple[float, float]]:
    found = [each for each in axes.collections if isinstance(each, FillBetweenPolyCollection)]
    extents = [each.get_paths()[0].get_extents() for each in found]
    return [(extent.x0, extent.x1) for extent in extents]


def test_the_picture_of_samples_has_every_sample_in_parts_of_its_lanes_median() -> None:
    rows = (made_row(), made_row("reference"))
    axes = drawn(picture_of("samples", rows=rows))
    assert lines(axes, "o") == [
        [time_us / row.estimate.median_us for time_us in each.times_us]
        for row in rows
        for each in row.series
    ]
    assert lines(axes, "None") == [[1.0, 1.0]] * 2
    assert bands(axes) == [(0.97, 1.04)] * 2
    words = {text.get_text() for text in axes.texts}
    assert {time_text(row.estimate.median_us) for row in rows} <= words


def test_lanes_of_times_have_every_sample_and_the_medians_with_their_intervals() -> None:
    rows = (made_row(), made_row("reference"))
    axes = new_figure(5, 3).add_subplot()
    draw_lanes(row_lanes(rows, ["operator", "reference"]), axes)
    assert lines(axes, "o") == [list(each.times_us) for row in rows for each in row.series]
    assert lines(axes, "None") == [[row.estimate.median_us] * 2 for row in rows]
    assert bands(axes) == [(row.estimate.low_us, row.estimate.high_us) for row in rows]


def test_samples_stand_in_their_order_process_below_process() -> None:
    axes = drawn(picture_of("samples", rows=(made_row(),)))
    heights = [y for line in axes.lines if line.get_marker() == "o" for y in line.get_ydata()]
    assert heights == sorted(heights)
    low, high = axes.get_ylim()
    assert low > high, "the first is on top"


def test_nothing_is_drawn_outside_of_the_axes() -> None:
    for picture in pictures_of(FULL.operators[0]):
        axes = drawn(picture)
        (left, right), (bottom, top) = axes.get_xlim(), sorted(axes.get_ylim())
        for line in axes.lines:
            if line.get_marker() == "o" and len(line.get_xdata()):
                assert left <= min(line.get_xdata()) <= max(line.get_xdata()) <= right, picture.kind
                assert bottom <= min(line.get_ydata()) <= max(line.get_ydata()) <= top, picture.kind


def test_ratios_stand_at_their_values_and_one_without_a_value_has_its_verdict_alone() -> None:
    case = "batch=1024,hidden=768 float32"
    without = made_ratio("compile", case, verdict="not comparable", ratio=None, low=None, high=None)
    axes = drawn(picture_of("ratios", ratios=(made_ratio("reference", case), without)))
    assert lines(axes, "o") == [[0.4]]
    assert [0.98 * 0.4, 1.01 * 0.4] in lines(axes, "None")
    assert {"0.400× faster", "not comparable"} <= {text.get_text() for text in axes.texts}


def test_times_stand_over_the_product_of_sizes() -> None:
    axes = drawn(picture_of("sizes"))
    (operator,) = [c for c in axes.containers if c.get_label() == "operator"]
    points = operator[0].get_xydata().tolist()
    assert points == [[1024 * 768, 1024 * 768 / 4000], [4096 * 1024, 4096 * 1024 / 4000]]
    assert axes.get_xscale() == "log"
    assert axes.get_xlabel() == "batch × hidden"


def test_one_size_makes_no_picture_of_sizes() -> None:
    kinds = [each.kind for each in pictures_of(made_operator(rows=(made_row(),), ratios=()))]
    assert kinds == ["ceilings", "roofline", "samples"]


def test_the_roof_is_the_ceiling_that_the_figures_were_held_against() -> None:
    row = made_row()
    axes = drawn(picture_of("roofline", rows=(row,)))
    figures = row.roofline
    (roof,) = [line for line in axes.lines if line.get_marker() == "None"]
    (left, low), (_, knee), (_, flat) = roof.get_xydata().tolist()
    assert math.isclose(low / left, figures["gb_s"] / figures["fraction_of_copy"] / 1e3)
    assert math.isclose(flat, figures["tflop_s"] / figures["fraction_of_matmul"])
    assert math.isclose(knee, flat)
    point = [figures["flops"] / figures["bytes"], figures["tflop_s"]]
    assert point in [xy for line in axes.lines for xy in line.get_xydata().tolist()]


@pytest.mark.parametrize("missing", ["fraction_of_copy", "gb_s"])
def test_without_figures_there_is_no_picture_of_ceilings(missing: str) -> None:
    row = made_row()
    row = replace(row, roofline={**row.roofline, missing: None})
    kinds = [each.kind for each in pictures_of(made_operator(rows=(row,), ratios=()))]
    assert "roofline" not in kinds
    assert ("ceilings" in kinds) == (missing != "fraction_of_copy")


def test_a_share_beyond_the_ceiling_is_called_impossible_where_the_record_does() -> None:
    row = made_row()
    beyond = {**row.roofline, "fraction_of_copy": 1.5, "impossible": "150 % is impossible"}
    axes = drawn(picture_of("ceilings", rows=(replace(row, roofline=beyond),)))
    assert "150 % impossible" in {text.get_text() for text in axes.texts}
    assert axes.get_xlim()[1] > 1.5


def test_stages_stand_below_each_other_with_a_point_for_each_process() -> None:
    axes = drawn(picture_of("stages", rows=(), ratios=(), stages=STAGES))
    assert lines(axes, "o") == [[time_us] for stage in STAGES for time_us in stage.times_us]


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("suffix", [".png", ".svg", ".PNG"])
def test_one_picture_shows_a_whole_record(name: str, suffix: str) -> None:
    content = overview_file(WHOLE[name], suffix)
    if suffix == ".svg":
        assert ET.fromstring(content).tag.endswith("svg")
    else:
        assert content.startswith(PNG)
        assert all(100 < side < 60_001 for side in struct.unpack(">II", content[16:24]))


def test_a_record_of_very_many_rows_still_fits_into_one_png(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(drawing, "_MOST_DOTS", 800)
    content = overview_file(FULL, ".png")
    assert struct.unpack(">II", content[16:24])[1] in (799, 800)


def test_the_same_record_gives_the_same_picture() -> None:
    assert overview_file(FULL, ".svg") == overview_file(FULL, ".svg")


def test_settings_of_the_user_for_their_own_pictures_change_nothing() -> None:
    with mpl.rc_context({"font.size": 30, "text.usetex": True}):
        theirs = overview_file(FULL, ".svg")
        assert mpl.rcParams["font.size"] == 30
    assert theirs == overview_file(FULL, ".svg")


def test_a_picture_in_a_page_takes_the_colours_of_the_page() -> None:
    with for_a_page():
        figure = new_figure(4.5, 2)
        picture = picture_of("samples")
        picture.draw(figure.add_subplot())
        svg = inline_svg(figure, "p1", 'a "name"')
    assert "#0102" not in svg
    assert "var(--ink)" in svg
    assert "<metadata" not in svg
    assert "http" not in svg
    assert ET.fromstring(svg).attrib["aria-label"] == 'a "name"'


@pytest.mark.parametrize(
    "ticks, values, texts",
    [
        (time_ticks(), [0.5, 30.0, 1e3, 3e4, 2e6], ["0.5 µs", "30 µs", "1 ms", "30 ms", "2 s"]),
        (time_ticks(), [101.25, 101.5], ["101.25 µs", "101.5 µs"]),
        (time_ticks(), [0.0, 20.0], ["0 µs", "20 µs"]),
        (ratio_ticks(), [0.03, 0.985, 1.0], ["0.03×", "0.985×", "1×"]),
        (percent_ticks(), [0.0, 0.25, 1.0], ["0 %", "25 %", "100 %"]),
        (count_ticks(), [0.3, 1e3, 3e5, 1e7], ["0.3", "1k", "300k", "10M"]),
    ],
)
def test_ticks_have_as_many_digits_as_tell_them_apart(
    ticks: object, values: Sequence[float], texts: list[str]
) -> None:
    assert ticks.format_ticks(values) == texts  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "values, scale",
    [
        ([1.0, 100.0], "log"),
        ([1.0, 1.1], "linear"),
        ([0.0, 100.0], "linear"),
        ([5.0], "linear"),
        ([], "linear"),
        ([float("nan"), float("inf"), 2.0], "linear"),
    ],
)
def test_a_scale_fits_its_values_whatever_they_are(values: list[float], scale: str) -> None:
    axes = new_figure(3, 3).add_subplot()
    fit(axes, "x", values, time_ticks())
    assert axes.get_xscale() == scale
    left, right = axes.get_xlim()
    assert left < right
    assert all(left <= value <= right for value in values if math.isfinite(value))


def test_long_names_are_cut_in_the_middle_and_stay_on_one_line() -> None:
    assert shortened("short", 10) == "short"
    assert shortened("a" * 20 + "z" * 20, 11) == "aaaaa…zzzzz"
    assert shortened("a\nb\x00", 10) == "a?b?"
