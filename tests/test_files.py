"""Readers see a whole file or folder, or none."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from opwright.files import (
    digest_file,
    digest_sampled,
    digest_text,
    publish_folder,
    remove_folder,
    write_atomic,
)

ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_digests_are_sha256(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("abc")
    assert digest_text("abc") == digest_file(tmp_path / "f") == ABC


def test_a_sampled_digest_sees_size_beginning_middle_and_end(tmp_path: Path) -> None:
    path = tmp_path / "f"
    content = bytearray(8 << 20)

    def digest() -> str:
        path.write_bytes(content)
        return digest_sampled(path)

    seen = {digest()}
    for position in (0, len(content) // 63 * 31 + 100, len(content) - 1):
        content[position] ^= 1
        seen.add(digest())
    content.append(0)
    seen.add(digest())
    assert len(seen) == 5


def test_a_failed_write_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "f"
    write_atomic(path, "old")

    def full(*args: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space"):
        write_atomic(path, "new")
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["f"]


def test_the_second_to_publish_is_told_so(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "f").write_text(name)
    final = tmp_path / "deep" / "final"
    assert publish_folder(tmp_path / "one", final, durable=("f",))
    assert not publish_folder(tmp_path / "two", final, durable=("f",))
    assert (final / "f").read_text() == "one"
    assert (tmp_path / "two" / "f").exists()


def test_a_removed_folder_is_gone_under_its_name_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "entry"
    (folder / "deep").mkdir(parents=True)
    remove_folder(folder)
    assert list(tmp_path.iterdir()) == []
    remove_folder(folder)  # a second time is no error


def test_others_may_read_what_the_users_mask_lets_them(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_atomic(tmp_path / "record.json", "{}")
    finally:
        os.umask(before)
    assert (tmp_path / "record.json").stat().st_mode & 0o777 == 0o640
