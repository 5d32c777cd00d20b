"""The page in a real browser: its numbers are the record's, and nothing sticks out at any width."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from headless_browser import Browser, find_browser, running_browser
from made_measurement import ATTACKED, BARE, EMPTY, FULL, made_measurement, made_operator
from opwright.records.measurement import Measurement, read_measurement, write_measurement
from opwright.report.measured import time_text
from opwright.report.page import measurement_page

pytestmark = pytest.mark.browser

PHONE, DESKTOP = 360, 1280
WIDTHS = (PHONE, DESKTOP)
WHOLE = {"full": FULL, "empty": EMPTY, "bare": BARE, "attacked": ATTACKED}
# Elements beyond the window's edges, without those that lie in a box that can be scrolled.
BEYOND = """
[...document.querySelectorAll("body *")].filter((element) => {
  if (element.closest(".scrolled > *, svg > *, details:not([open]) > :not(summary)")) return false;
  const box = element.getBoundingClientRect();
  return box.right > WIDTH + 0.5 || box.left < -0.5;
}).map((element) => element.outerHTML.slice(0, 200))
"""
CONTRASTS = """
(() => {
  const parts = (text) => text.match(/[0-9.]+/g).map(Number);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parts(getComputedStyle(at).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  return [...document.querySelectorAll("body *")].filter(
    (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())
  ).map((element) => {
    const style = getComputedStyle(element);
    const ink = element.closest("svg") ? style.fill : style.color;
    const [a, b] = [light(parts(ink)), light(ground(element))].sort((x, y) => y - x);
    return [(a + 0.05) / (b + 0.05), element.outerHTML.slice(0, 120)];
  }).filter(([contrast]) => contrast < 4.5);
})()
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    path = find_browser()
    if path is None:
        pytest.skip("no chromium on this machine")
    with running_browser(path, tmp_path_factory.mktemp("profile")) as running:
        yield running


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    for name, record in WHOLE.items():
        (folder / f"{name}.html").write_text(measurement_page(record), encoding="utf-8")
    return {name: folder / f"{name}.html" for name in WHOLE}


def shown(browser: Browser, selector: str, *keys: str) -> list[list[str]]:
    """The data attributes of all elements that the browser finds, as it holds them."""
    return [
        [element[key] for key in keys]
        for element in json.loads(
            browser.value(
                f"JSON.stringify([...document.querySelectorAll({selector!r})].map((e) => ({{...e.dataset}})))"
            )
        )
    ]


def test_the_numbers_that_the_browser_shows_are_those_of_the_record(
    browser: Browser, tmp_path: Path
) -> None:
    write_measurement(FULL, tmp_path / "record.json")
    record = read_measurement(tmp_path / "record.json")
    page = tmp_path / "page.html"
    page.write_text(measurement_page(record), encoding="utf-8")
    browser.open(page, DESKTOP)
    operator, started = record.operators
    rows = shown(browser, "table.times tr[data-median-us]", "subject", "case", "medianUs", "lowUs")
    assert rows == [
        [row.subject, row.case, str(row.estimate.median_us), str(row.estimate.low_us)]
        for row in operator.rows
    ]
    ratios = shown(browser, "table.ratios tr[data-ratio]", "against", "verdict", "ratio", "high")
    assert ratios == [
        [each.against, each.verdict, str(each.ratio), str(each.high)] for each in operator.ratios
    ]
    stages = shown(browser, "table.stages tr[data-stage]", "stage", "mostUs")
    assert stages == [[each.name, str(max(each.times_us))] for each in started.stages]
    series = shown(browser, "table.series tr[data-process]", "samples", "stopped")
    assert series == [
        [str(len(each.times_us)), each.stopped] for row in operator.rows for each in row.series
    ]
    medians = browser.value(
        "[...document.querySelectorAll('table.times td.strong')].map((e) => e.innerText)"
    )
    assert medians == [time_text(row.estimate.median_us) for row in operator.rows]


def test_every_picture_is_drawn_with_its_medians_as_text(
    browser: Browser, pages: dict[str, Path]
) -> None:
    browser.open(pages["full"], DESKTOP)
    boxes = browser.value(
        "[...document.querySelectorAll('figure svg')].map((e) => e.getBoundingClientRect().height)"
    )
    assert len(boxes) == 7
    assert all(height > 60 for height in boxes)
    words = browser.value(
        "[...document.querySelectorAll('.picture-samples text')].map((e) => e.textContent)"
    )
    assert {time_text(row.estimate.median_us) for row in FULL.operators[0].rows} <= set(words)


def sticking_out(browser: Browser, width: int) -> list[str]:
    """What makes the page wider than its window. A phone's window grows with the page, so it is not asked."""
    wide = browser.value("document.documentElement.scrollWidth")
    beyond = browser.value(BEYOND.replace("WIDTH", str(width)))
    return [*([f"the page is {wide} pixels wide"] if wide > width else []), *beyond]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", WHOLE)
def test_nothing_sticks_out(
    browser: Browser, pages: dict[str, Path], name: str, width: int
) -> None:
    browser.open(pages[name], width)
    assert browser.value("window.innerWidth") == width
    assert sticking_out(browser, width) == []
    browser.value("document.querySelectorAll('details').forEach((e) => { e.open = true })")
    assert sticking_out(browser, width) == []


@pytest.mark.parametrize("width", WIDTHS)
def test_a_planted_part_that_sticks_out_is_seen(
    browser: Browser, pages: dict[str, Path], tmp_path: Path, width: int
) -> None:
    text = pages["full"].read_text(encoding="utf-8")
    planted = tmp_path / "planted.html"
    planted.write_text(text.replace("<main>", f'<main><p style="width: {width + 5}px">wide</p>'))
    browser.open(planted, width)
    page, *elements = sticking_out(browser, width)
    assert page.startswith("the page is ")
    assert any(">wide</p>" in each for each in elements)


def test_wide_tables_can_be_scrolled_on_a_phone(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["full"], PHONE)
    widths = browser.value(
        "[...document.querySelectorAll('.scrolled')].map((e) => [e.scrollWidth, e.clientWidth])"
    )
    assert any(inner > outer for inner, outer in widths)
    assert all(
        browser.value("[...document.querySelectorAll('.scrolled')].map((e) => e.tabIndex === 0)")
    )


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("name", ["full", "attacked"])
def test_all_text_stands_out_from_its_ground(
    browser: Browser, pages: dict[str, Path], name: str, dark: bool
) -> None:
    browser.open(pages[name], DESKTOP, dark=dark)
    assert browser.value("matchMedia('(prefers-color-scheme: dark)').matches") is dark
    browser.value("document.querySelectorAll('details').forEach((e) => { e.open = true })")
    assert browser.value(CONTRASTS) == []


def test_planted_text_that_does_not_stand_out_is_seen(
    browser: Browser, pages: dict[str, Path], tmp_path: Path
) -> None:
    text = pages["full"].read_text(encoding="utf-8")
    planted = tmp_path / "planted.html"
    planted.write_text(text.replace("--muted: #56606b", "--muted: #b0b6bc"))
    browser.open(planted, DESKTOP)
    assert browser.value(CONTRASTS) != []


@pytest.mark.parametrize("name", WHOLE)
def test_the_browser_asks_for_nothing_but_the_page(
    browser: Browser, pages: dict[str, Path], name: str
) -> None:
    browser.open(pages[name], DESKTOP)
    asked = [url for url in browser.requests if not url.startswith("data:")]
    assert asked == [pages[name].as_uri()]


def test_what_looks_like_a_script_in_a_name_does_not_run(
    browser: Browser, pages: dict[str, Path]
) -> None:
    browser.open(pages["attacked"], DESKTOP)
    assert browser.value("document.title") != "hit"
    assert browser.value("document.scripts.length + document.images.length") == 0


def test_a_label_is_seen_before_any_number(browser: Browser, tmp_path: Path) -> None:
    record: Measurement = made_measurement(
        made_operator(label="HIP source on NVIDIA"), replace(FULL.operators[1], label="emulated")
    )
    page = tmp_path / "page.html"
    page.write_text(measurement_page(record), encoding="utf-8")
    browser.open(page, PHONE)
    tops = browser.value(
        "[...document.querySelectorAll('.banner')].map((e) => e.getBoundingClientRect().bottom)"
    )
    assert len(tops) == 2
    assert max(tops) < browser.value("document.querySelector('table').getBoundingClientRect().top")
