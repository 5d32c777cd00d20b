from __future__ import annotations

import math

import pytest

from opwright.report.figures import age_text, count_text, figure_text, seconds_text, size_text


@pytest.mark.parametrize(
    "seconds, text",
    [(0.0, "0.00 s"), (0.04, "0.04 s"), (0.0951, "0.1 s"), (3.44, "3.4 s"), (145.2, "145 s")],
)
def test_seconds(seconds: float, text: str) -> None:
    assert seconds_text(seconds) == text


@pytest.mark.parametrize(
    "value, text",
    [
        (None, ""),
        (0.0, "0.0"),
        (0.5, "0.50"),
        (1.94, "1.9"),
        (693.3, "693"),
        (999_999.0, "999999"),
        (6.4e23, ">1e6"),
        (math.inf, "inf"),
    ],
)
def test_figures_keep_two_or_three_digits(value: float | None, text: str) -> None:
    assert figure_text(value) == text


@pytest.mark.parametrize(
    "size, text",
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (999_499, "999 kB"),
        (999_600, "1.0 MB"),
        (5e12, "5.0 TB"),
    ],
)
def test_sizes(size: int, text: str) -> None:
    assert size_text(size) == text


@pytest.mark.parametrize(
    "seconds, text",
    [(-1, "0 s"), (12, "12 s"), (300, "5 min"), (3 * 3600, "3 h"), (9 * 86400, "9 days")],
)
def test_ages(seconds: float, text: str) -> None:
    assert age_text(seconds) == text


def test_one_is_not_plural() -> None:
    assert [count_text(n, "case") for n in (0, 1, 2)] == ["0 cases", "1 case", "2 cases"]
