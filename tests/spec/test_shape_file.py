from __future__ import annotations

from pathlib import Path

import pytest

from opwright.errors import UsageError
from opwright.spec.shape_file import read_shapes, sizes_for


def test_lists_of_sizes_are_shapes_and_numbers_are_dims(tmp_path: Path) -> None:
    file = tmp_path / "shapes.json"
    file.write_text('[{"batch": [2, 3], "hidden": 768}, {"batch": [], "hidden": 1}]')
    assert read_shapes(file) == ({"batch": (2, 3), "hidden": 768}, {"batch": (), "hidden": 1})


def test_operators_may_have_lists_of_their_own(tmp_path: Path) -> None:
    file = tmp_path / "shapes.json"
    file.write_text('{"first": [{"n": 1}], "second": [{"m": [2]}, {"m": []}]}')
    listed = read_shapes(file)
    assert sizes_for(["second"], listed) == ({"m": (2,)}, {"m": ()})
    assert sizes_for(["first_backward", "first"], listed) == ({"n": 1},)
    with pytest.raises(UsageError, match="no list for third"):
        sizes_for(["third"], listed)
    assert sizes_for(["third"], [{"n": 1}]) == [{"n": 1}]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[{", "cannot be read as JSON"),
        ('{"hidden": 768}', "is not a list of sizes by name"),
        ("[768]", "is not a list of sizes by name"),
        ("[]", "lists no sizes"),
        ("{}", "is not a list of sizes by name"),
        ('{"swish": [[768]]}', r"\(swish\) is not a list of sizes by name"),
        ('{"swish": []}', r"\(swish\) lists no sizes"),
        ('{"batch": [1024], "hidden": [768]}', "is not a list of sizes by name"),
    ],
)
def test_what_is_no_list_of_sizes_is_refused_with_how_to_write_one(
    text: str, told: str, tmp_path: Path
) -> None:
    file = tmp_path / "shapes.json"
    file.write_text(text)
    with pytest.raises(UsageError, match=rf"shapes\.json {told}") as refused:
        read_shapes(file)
    assert '[{"batch": [1024], "hidden": 768}]' in refused.value.hint


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"gone\.json cannot be read"):
        read_shapes(tmp_path / "gone.json")
