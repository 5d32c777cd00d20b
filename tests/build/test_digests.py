"""A remembered digest is believed only where a later write would have shown."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from opwright.build.digests import Digests, settled, signature_of
from opwright.files import digest_text

MS = 1_000_000
SECOND = 1_000 * MS


@pytest.mark.parametrize(
    "changed_ns, seen_ns, expected",
    [
        (7 * SECOND + 5, 7 * SECOND + 1 * MS, False),  # another write in this tick would not show
        (7 * SECOND + 5, 7 * SECOND + 40 * MS, True),
        (7 * SECOND, 7 * SECOND + 40 * MS, False),  # whole seconds: a coarse file system
        (7 * SECOND, 9 * SECOND + 1 * MS, True),
        (9 * SECOND + 5, 7 * SECOND, True),  # the clock went back: a new write gets another time
    ],
)
def test_a_state_is_settled_once_the_clock_has_moved_on(
    changed_ns: int, seen_ns: int, expected: bool
) -> None:
    future_mtime = 10**19  # anybody can set that, so it says nothing
    assert settled((1, 2, 3, future_mtime, changed_ns), seen_ns) is expected


def test_a_file_that_was_written_just_now_is_not_remembered(tmp_path: Path) -> None:
    path, memo = tmp_path / "f", tmp_path / "memo"
    path.write_text("abc")
    digests = Digests(memo)
    assert digests.of(str(path)) == digest_text("abc")
    digests.save()
    assert not memo.exists()
    time.sleep(0.05)
    assert digests.of(str(path)) == digest_text("abc")
    digests.save()
    assert str(path) in json.loads(memo.read_text())


def test_a_remembered_file_is_not_read_and_a_changed_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, memo = tmp_path / "f", tmp_path / "memo"
    path.write_text("abc")
    time.sleep(0.05)
    digests = Digests(memo)
    digests.of(str(path))
    digests.save()
    reads: list[str] = []
    monkeypatch.setattr(
        "opwright.build.digests.digest_file", lambda path: reads.append(path) or "read"
    )
    assert Digests(memo).of(str(path)) == digest_text("abc")
    assert reads == []
    old = path.stat()
    path.write_text("abd")
    os.utime(path, ns=(old.st_atime_ns, old.st_mtime_ns))
    assert Digests(memo).of(str(path)) == "read"


@pytest.mark.parametrize("content", ["", "{", "[1]", '{"x": 3}'])
def test_a_torn_memory_is_no_memory(tmp_path: Path, content: str) -> None:
    (tmp_path / "memo").write_text(content)
    (tmp_path / "f").write_text("abc")
    assert Digests(tmp_path / "memo").of(str(tmp_path / "f")) == digest_text("abc")


def test_what_is_no_regular_file_has_no_digest(tmp_path: Path) -> None:
    digests = Digests()
    assert digests.of(str(tmp_path)) is None
    assert digests.of(str(tmp_path / "none")) is None
    (tmp_path / "link").symlink_to(tmp_path / "none")
    assert digests.of(str(tmp_path / "link")) is None


def test_the_signature_sees_a_replaced_file_of_the_same_size_and_time(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for path in (one, two):
        path.write_text("abc")
        os.utime(path, (1, 1))
    before = signature_of(one.stat())
    two.replace(one)
    assert signature_of(one.stat()) != before
