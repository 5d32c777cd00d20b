"""Whatever a text holds, the file is UTF-8."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from opwright.records.json_file import write_json


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("bad \udc80 text", r"bad \udc80 text"),
        (r"a path \\ \udfff", r"a path \\ \udfff"),
        ("smile \U0001f600, \x1b[0m", "smile \U0001f600, \x1b[0m"),
    ],
)
def test_a_lone_surrogate_is_an_escape_and_the_rest_is_kept(
    text: str, read: str, tmp_path: Path
) -> None:
    path = tmp_path / "record.json"
    write_json(path, {"message": text})
    assert json.loads(path.read_bytes().decode("utf-8"))["message"] == read
