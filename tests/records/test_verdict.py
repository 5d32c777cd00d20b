"""What an operator says without measure is cut, and the cut is told."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from opwright.records.graph import Answer
from opwright.records.verdict import Finding, errored

LONG = "tile " * 200_000


@pytest.mark.parametrize(
    "told",
    [
        lambda text: Finding("exception", text).message,
        lambda text: Finding("exception", "raised", {"text": text}).details["text"],
        lambda text: errored(text).reason,
        lambda text: Answer("not checked", text).reason,
    ],
)
def test_a_text_without_measure_is_cut_once_with_a_mark(told: Callable[[str], str]) -> None:
    found = told(LONG)
    assert len(found) < 5000
    assert found.startswith("tile tile ")
    assert found.endswith(" [cut: 996,000 more characters]")
    assert told(found) == found
    assert told("short") == "short"
