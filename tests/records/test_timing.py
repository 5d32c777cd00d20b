from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from made_timing import TIMING
from opwright.errors import RecordError
from opwright.records.timing import write_timing


def test_a_timing_is_written_with_every_sample_and_every_span(tmp_path: Path) -> None:
    write_timing(TIMING, tmp_path / "timing.json")
    plain = json.loads((tmp_path / "timing.json").read_text())
    assert plain == json.loads(json.dumps(asdict(TIMING)))
    assert (plain["kind"], plain["version"]) == ("timing", 1)
    assert [each["times_us"] for each in plain["combinations"]] == [
        list(each.times_us) for each in TIMING.combinations
    ]
    assert plain["combinations"][0]["spans"][1] == {
        "lane": "stream",
        "name": "earlier work",
        "begin_us": 0.0,
        "end_us": 2000.0,
    }


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"gone/timing\.json cannot be written"):
        write_timing(TIMING, tmp_path / "gone" / "timing.json")
