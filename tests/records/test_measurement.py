"""Measurements come back from their files as they were, open ends included, and other files do not pass for one."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from made_measurement import (
    EMPTY,
    FULL,
    STAGES,
    made_measurement,
    made_operator,
    made_ratio,
    made_row,
)
from opwright.errors import RecordError
from opwright.records.measurement import Measurement, read_measurement, write_measurement

OPEN = made_measurement(
    made_operator(
        rows=(made_row(estimate=replace(made_row().estimate, low_us=0.0, high_us=math.inf)),),
        ratios=(
            made_ratio("reference", "a", low=0.0, high=math.inf),
            made_ratio("compile", "a", verdict="not comparable", ratio=None, low=None, high=None),
        ),
    )
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "measured.json"


@pytest.mark.parametrize("measurement", [FULL, EMPTY, OPEN], ids=["full", "empty", "open"])
def test_a_measurement_comes_back_unchanged(measurement: Measurement, file: Path) -> None:
    write_measurement(measurement, file)
    assert read_measurement(file) == measurement


def test_an_open_end_is_null_in_the_file_and_infinite_when_it_is_read(file: Path) -> None:
    write_measurement(OPEN, file)
    text = file.read_text()
    assert "Infinity" not in text
    (plain,) = json.loads(text)["operators"]
    assert plain["rows"][0]["estimate"]["high_us"] is None
    assert [ratio["high"] for ratio in plain["ratios"]] == [None, None]
    (operator,) = read_measurement(file).operators
    assert operator.rows[0].estimate.high_us == math.inf
    assert [ratio.high for ratio in operator.ratios] == [math.inf, None], "no ratio has no end"


def test_every_sample_is_in_the_file(file: Path) -> None:
    write_measurement(FULL, file)
    plain = json.loads(file.read_text())["operators"]
    for row, written in zip(FULL.operators[0].rows, plain[0]["rows"], strict=True):
        samples = [tuple(series["times_us"]) for series in written["series"]]
        assert samples == [series.times_us for series in row.series]
    assert [stage["times_us"] for stage in plain[1]["stages"]] == [
        list(stage.times_us) for stage in STAGES
    ]


def changed(file: Path, **changes: Any) -> Path:
    write_measurement(FULL, file)
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))
    return file


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"version": 99}, "is a measurement record of version 99; this reads a measurement of ver"),
        (
            {"kind": "timing"},
            "is a timing record of version 1; this reads a measurement of version 1",
        ),
    ],
)
def test_other_kinds_and_versions_are_named(changes: dict[str, Any], told: str, file: Path) -> None:
    with pytest.raises(RecordError, match=told):
        read_measurement(changed(file, **changes))


@pytest.mark.parametrize("text", ["", "[]", "{}", "3", '{"version": 1}', '{"kind": "measurement"'])
def test_another_file_is_no_measurement(text: str, file: Path) -> None:
    file.write_text(text)
    with pytest.raises(RecordError, match=r"measured\.json is not a measurement"):
        read_measurement(file)


def test_a_file_that_is_cut_short_anywhere_is_none(file: Path) -> None:
    write_measurement(FULL, file)
    text = file.read_text()
    for share in range(20):
        file.write_text(text[: len(text) * share // 20])
        with pytest.raises(RecordError, match="is not a measurement"):
            read_measurement(file)


@pytest.mark.parametrize(
    "operators", [None, [3], [{}], [{"rows": [{}], "ratios": [], "stages": []}]]
)
def test_a_measurement_that_lacks_something_is_not_whole(operators: Any, file: Path) -> None:
    with pytest.raises(RecordError, match="is not a whole measurement"):
        read_measurement(changed(file, operators=operators))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="gone"):
        read_measurement(tmp_path / "gone.json")
    with pytest.raises(RecordError, match=r"gone/measured\.json cannot be written"):
        write_measurement(FULL, tmp_path / "gone" / "measured.json")
