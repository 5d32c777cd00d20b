from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from opwright.build.inputs import Inputs
from opwright.build.manifest import MANIFEST, Manifest
from opwright.build.store import Store
from opwright.cli.cache import size_bytes
from opwright.cli.main import main
from opwright.errors import StoreError
from opwright.files import digest_file


def cache(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["cache", *arguments])


def put(store: Store, name: str, *, days_old: float, library_bytes: int = 1000) -> Path:
    """An entry as a build leaves it, last used some days ago."""
    folder = store.version_folder / f"{name}-cpu-0123456789abcdef" / "fedcba9876543210"
    folder.mkdir(parents=True)
    library = folder / f"lib{name}.so"
    library.write_bytes(b"x" * library_bytes)
    facts: dict[str, Any] = {
        "name": name,
        "target": "cpu",
        "folder": folder,
        "library": library.name,
        "size_bytes": library_bytes,
        "digest": digest_file(library),
        "request_key": "0" * 64,
        "build_key": f"{name:0<64}",
        "key_parts": {},
        "inputs": Inputs({}, {}),
        "facts": {},
        "created": 0.0,
        "seconds": 3.4,
        "unit_seconds": {},
    }
    (folder / MANIFEST).write_text(Manifest(**facts).to_json())
    used = folder.stat().st_mtime - days_old * 86400
    os.utime(folder, (used, used))
    return folder


@pytest.fixture
def store(empty_store: Path) -> Store:
    made = Store(empty_store)
    made.prepare()
    return made


def test_where_is_the_folder_and_nothing_else_and_makes_none(empty_store: Path) -> None:
    assert cache("where").output == f"{empty_store}\n"
    assert not empty_store.exists()


def test_list_shows_the_last_used_first_with_size_and_total(store: Store) -> None:
    put(store, "older", days_old=9)
    put(store, "newer", days_old=0)
    lines = cache("list").output.splitlines()
    assert [line.split()[0] for line in lines[1:3]] == ["newer", "older"]
    assert lines[2].endswith("9 days ago")
    assert "3.4 s" in lines[1]
    assert lines[3].startswith("2 in the store, ")


@pytest.mark.parametrize("columns", ["20", "80"])
def test_list_keeps_each_entry_whole_on_one_line_where_nothing_ends_lines(
    store: Store, columns: str
) -> None:
    name = "a_name_that_is_longer_than_most_terminals_are_wide_" * 3
    put(store, name, days_old=0)
    put(store, "short", days_old=1)
    listed = CliRunner().invoke(main, ["cache", "list"], env={"COLUMNS": columns})
    titles, first, second, *_ = listed.output.splitlines()
    assert first.split()[:2] == [name, "cpu"]
    assert first.endswith(" ago")
    assert second.split()[0] == "short"
    assert titles.endswith("last used")


def test_list_of_a_store_that_is_not_there_yet_is_empty(empty_store: Path) -> None:
    assert cache("list").output.startswith("0 in the store, 0 B, ")
    assert not empty_store.exists()


def test_list_as_json_is_one_document(store: Store) -> None:
    put(store, "only", days_old=2)
    (entry,) = json.loads(cache("list", "--json").output)["entries"]
    assert entry["name"] == "only"
    assert entry["size_bytes"] >= 1000
    assert round(entry["unused_seconds"] / 86400) == 2


def test_verify_passes_a_whole_store_and_names_each_library_that_is_not(store: Store) -> None:
    put(store, "whole", days_old=0)
    assert cache("verify").exit_code == 0
    folder = put(store, "changed", days_old=0)
    (folder / "libchanged.so").write_bytes(b"y" * 1000)
    result = cache("verify")
    assert result.exit_code == StoreError.exit_code
    assert str(folder) in result.stdout
    assert "whole" not in result.stdout.replace(str(store.where), "")
    assert "built again" in result.stderr


def test_prune_without_options_removes_nothing_that_is_whole(store: Store) -> None:
    put(store, "old", days_old=1000)
    assert cache("prune").output.startswith("removed 0 (0 B), kept 1 (")


def test_prune_by_age(store: Store) -> None:
    old, young = put(store, "old", days_old=40), put(store, "young", days_old=3)
    assert cache("prune", "--older-than", "30").exit_code == 0
    assert (old.exists(), young.exists()) == (False, True)


def test_prune_by_size_removes_the_longest_unused(store: Store) -> None:
    folders = [put(store, f"n{age}", days_old=age, library_bytes=100_000) for age in (1, 2, 3)]
    result = cache("prune", "--max-size", "250kB")
    assert [folder.exists() for folder in folders] == [True, True, False]
    assert result.output.startswith("removed 1 (")


def test_prune_all_empties_the_store(store: Store) -> None:
    put(store, "one", days_old=1)
    assert "kept 0 (0 B)" in cache("prune", "--all").output
    assert store.list() == []


@pytest.mark.parametrize(
    "text, size",
    [("5", 5), ("500MB", 500_000_000), ("2gb", 2 * 10**9), ("1.5 GiB", 3 << 29), ("10k", 10_000)],
)
def test_sizes_are_read_as_people_write_them(text: str, size: int) -> None:
    assert size_bytes(text) == size


@pytest.mark.parametrize("text", ["", "MB", "2XB", "-1GB", "1e9", "i"])
def test_other_sizes_are_refused(text: str) -> None:
    with pytest.raises(click.BadParameter):
        size_bytes(text)


def test_a_store_of_somebody_else_is_not_listed(store: Store) -> None:
    store.where.chmod(0o777)
    result = cache("list")
    assert result.exit_code == StoreError.exit_code
    assert "can be written by others" in result.stderr
