from __future__ import annotations

import re
import statistics
from dataclasses import replace

import pytest

from made_measurement import (
    ATTACKED,
    BARE,
    EMPTY,
    FULL,
    HOSTILE,
    STAGES,
    made_measurement,
    made_operator,
    made_row,
)
from opwright.records.measurement import Measurement
from opwright.report.measured import time_text
from opwright.report.page import measurement_page
from shown_page import ShownPage

WHOLE = {"full": FULL, "empty": EMPTY, "bare": BARE, "attacked": ATTACKED}


@pytest.fixture(scope="module")
def pages() -> dict[str, ShownPage]:
    return {name: ShownPage(measurement_page(record)) for name, record in WHOLE.items()}


def test_every_row_is_there_with_the_numbers_of_the_record(pages: dict[str, ShownPage]) -> None:
    shown = pages["full"].with_data("subject", "case", "low-us")
    rows = FULL.operators[0].rows
    assert [(each["data-subject"], each["data-case"]) for each in shown] == [
        (row.subject, row.case) for row in rows
    ]
    for each, row in zip(shown, rows, strict=True):
        e = row.estimate
        figures = [float(each[f"data-{name}-us"]) for name in ("median", "low", "high")]
        assert figures == [e.median_us, e.low_us, e.high_us]
        counts = [int(each[f"data-{name}"]) for name in ("samples", "outliers", "rechecked")]
        assert counts == [e.samples, e.outliers, row.rechecked]
        assert ("data-unreliable" in each) == bool(row.unreliable)
        assert time_text(e.median_us) in pages["full"].text


def test_every_ratio_is_there_with_its_verdict_and_reason(pages: dict[str, ShownPage]) -> None:
    shown = pages["full"].with_data("verdict")
    ratios = FULL.operators[0].ratios
    for each, ratio in zip(shown, ratios, strict=True):
        assert (each["data-against"], each["data-case"]) == (ratio.against, ratio.case)
        assert each["data-verdict"] == ratio.verdict
        figures = [float(each[f"data-{name}"]) for name in ("ratio", "low", "high")]
        assert figures == [ratio.ratio, ratio.low, ratio.high]
        assert [int(each[f"data-{name}"]) for name in ("pairs", "processes")] == [21, 3]
        assert ratio.reason in pages["full"].text


def test_every_stage_is_there_with_its_figures(pages: dict[str, ShownPage]) -> None:
    for each, stage in zip(pages["full"].with_data("stage"), STAGES, strict=True):
        assert each["data-stage"] == stage.name
        figures = [float(each[f"data-{name}-us"]) for name in ("median", "least", "most")]
        times = stage.times_us
        assert figures == [statistics.median(times), min(times), max(times)]


def test_every_process_says_why_it_stopped(pages: dict[str, ShownPage]) -> None:
    shown = pages["full"].with_data("process", "stopped")
    series = [each for row in FULL.operators[0].rows for each in row.series]
    assert [each["data-stopped"] for each in shown] == [each.stopped for each in series]
    assert [int(each["data-warmup-calls"]) for each in shown] == [s.warmup_calls for s in series]
    assert "time limit in 1 of 3, interval narrow enough in 2 of 3" in pages["full"].text


@pytest.mark.parametrize("group", ["roofline", "memory_bytes"])
def test_figures_by_name_are_there_as_the_record_has_them(group: str) -> None:
    rows = (made_row(), made_row("reference"))
    page = measurement_page(made_measurement(made_operator(rows=rows, ratios=())))
    shown = [(e["data-fact"], e["data-value"]) for e in ShownPage(page).with_data("fact", "value")]
    for row in rows:
        for name, value in getattr(row, group).items():
            assert (name, str(value)) in shown


def test_what_belongs_to_the_whole_run_is_there(pages: dict[str, ShownPage]) -> None:
    page = pages["full"]
    for text in (FULL.command, "2026-01-01 00:00:00+00:00", "61b03c49" * 8, "passed: every check"):
        assert text in page.text
    values = {(each["data-fact"], each["data-value"]) for each in page.with_data("fact")}
    assert {("torch", "2.13.0"), ("policy", "governed"), ("host.load", "0.25")} <= values
    assert "processes disagree: 1 lies below 2" in page.text
    assert "the host keeps no reserve of memory" in page.text


def test_there_is_a_picture_of_everything_with_words_for_those_who_do_not_see_it(
    pages: dict[str, ShownPage],
) -> None:
    kinds = [each["data-picture"] for each in pages["full"].with_data("picture")]
    assert kinds == ["ratios", "sizes", "ceilings", "roofline", "samples", "samples", "stages"]
    pictures = [e.attributes for e in pages["full"].elements if e.tag == "svg"]
    assert len(pictures) == len(kinds)
    assert all(each["role"] == "img" and len(each["aria-label"]) > 20 for each in pictures)


def test_every_table_has_headers_that_say_what_they_head(pages: dict[str, ShownPage]) -> None:
    for page in pages.values():
        headers = [e.attributes for e in page.elements if e.tag == "th"]
        assert all(each.get("scope") in ("col", "row", "rowgroup") for each in headers)


@pytest.mark.parametrize("name", WHOLE)
def test_the_page_needs_nothing_from_elsewhere(name: str, pages: dict[str, ShownPage]) -> None:
    page = pages[name]
    for element in page.elements:
        assert element.tag not in ("script", "link", "iframe", "object", "embed", "base"), element
        for key, value in element.attributes.items():
            assert not key.startswith("on"), element
            if key in ("src", "href", "srcset", "data", "action", "poster"):
                assert value.startswith(("#", "data:image/png;base64,")), element
            assert not re.search(r"url\((?!#)", value), element
    style = "".join("".join(e.text) for e in page.elements if e.tag == "style")
    assert style
    assert not re.search(r"url\(|@import|//", style)
    policy = next(e.attributes for e in page.elements if "http-equiv" in e.attributes)
    assert policy["content"].startswith("default-src 'none'")


def test_names_stay_text_whatever_they_hold(pages: dict[str, ShownPage]) -> None:
    page = pages["attacked"]
    assert not page.left_open
    assert {e.tag for e in page.elements} <= {e.tag for e in pages["full"].elements} | {"strong"}
    assert HOSTILE in page.text
    assert page.with_data("operator")[0]["data-operator"] == HOSTILE


@pytest.mark.parametrize("name", WHOLE)
def test_the_page_is_whole_and_every_name_in_it_is_used_once(
    name: str, pages: dict[str, ShownPage]
) -> None:
    page = pages[name]
    assert page.left_open == []
    ids = [e.attributes["id"] for e in page.elements if "id" in e.attributes]
    assert sorted(set(ids)) == sorted(ids)
    for element in page.elements:
        for value in element.attributes.values():
            for used in re.findall(r"url\(#([^)]+)\)", value):
                assert used in ids
        if element.attributes.get("href", "").startswith("#"):
            assert element.attributes["href"][1:] in ids


def test_nothing_is_said_of_what_is_not_there(pages: dict[str, ShownPage]) -> None:
    assert "Nothing was measured" in pages["empty"].text
    assert pages["bare"].with_data("fact") == []
    assert pages["bare"].with_data("ratio") == []
    assert pages["bare"].with_data("verdict")[0]["data-verdict"] == "cannot tell"
    assert [each["data-picture"] for each in pages["bare"].with_data("picture")] == ["ratios"]


@pytest.mark.parametrize("label", ["emulated", "simulated", "compiled"])
def test_where_no_device_ran_the_label_is_on_top_and_nothing_is_compared(label: str) -> None:
    record = made_measurement(made_operator(label=label))
    page = ShownPage(measurement_page(record))
    banner = page.with_data("label")
    assert [each["data-label"] for each in banner] == [label]
    tags = [e.attributes for e in page.elements]
    assert tags.index(banner[0]) < tags.index(page.with_data("operator")[0])
    assert page.with_data("verdict") == []
    assert "faster" not in page.text.partition("<footer")[0].split("Where and with what")[0]
    assert "ratios" not in [each["data-picture"] for each in page.with_data("picture")]


def test_hardware_needs_no_banner_and_hip_on_nvidia_has_one() -> None:
    assert ShownPage(measurement_page(FULL)).with_data("label") == []
    record = made_measurement(made_operator(label="HIP source on NVIDIA"))
    page = ShownPage(measurement_page(record))
    assert len(page.with_data("label")) == 1
    assert page.with_data("ratio")


def test_the_same_record_gives_the_same_page() -> None:
    assert measurement_page(FULL) == measurement_page(replace(FULL))


def test_very_many_samples_do_not_make_the_page_large() -> None:
    row = made_row()
    times = tuple(100 + (k % 97) / 10 for k in range(10_000))
    many = replace(row, series=tuple(replace(each, times_us=times) for each in row.series))
    record: Measurement = made_measurement(made_operator(rows=(many,), ratios=()))
    page = measurement_page(record)
    assert len(page) < 500_000
    assert "data:image/png" in page
