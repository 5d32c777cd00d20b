"""A library that is damaged, or whole and does not load, is set aside and built again wherever it is used."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
import torch

from operator_folder import read_operator, write_doubled
from opwright.build.manifest import MANIFEST
from opwright.discovery import find_one
from opwright.errors import LoadError
from opwright.records.artifact import Artifact
from opwright.session.building import build_operator
from opwright.session.checking import check_operator, checking
from opwright.session.whole import with_whole
from opwright.spec.target import Target

CPU = Target("cpu")


def built(folder: Path, name: str) -> Artifact:
    artifact = build_operator(read_operator(write_doubled(folder, name)).spec, CPU)
    assert artifact is not None
    return artifact


def harm(artifact: Artifact, *, says_so: bool) -> None:
    """Make the library one that does not load; if the manifest says so too, it is one that was built so."""
    artifact.library.chmod(0o644)
    bad = artifact.library.read_bytes()[:-4096].ljust(artifact.library.stat().st_size, b"\0")
    bad = b"\x7fNOT" + bad[4:]
    artifact.library.write_bytes(bad)
    if says_so:
        manifest = artifact.folder / MANIFEST
        plain = json.loads(manifest.read_text())
        manifest.chmod(0o644)
        digest = hashlib.sha256(bad).hexdigest()
        manifest.write_text(json.dumps({**plain, "digest": digest}))


def why_set_aside(store: Path) -> list[str]:
    return [path.read_text() for path in store.glob("v1/.quarantine/*/why.txt")]


@pytest.mark.parametrize("whole", [True, False])
def test_a_check_builds_again_what_does_not_load(
    whole: bool, tmp_path: Path, empty_store: Path
) -> None:
    folder = tmp_path / "op"
    harm(built(folder, "unloadable"), says_so=whole)
    with checking() as worker:
        record = check_operator(worker, str(folder), find_one(str(folder)), CPU, only=("empty",))
    assert record.verdict == "pass"
    assert not record.artifact["hit"]
    (why,) = why_set_aside(empty_store)
    assert ("the file is as it was built" in why) == whole
    assert ("does not load" in why) == whole


def test_loading_builds_again_what_is_whole_and_does_not_load(
    tmp_path: Path, empty_store: Path
) -> None:
    harm(built(tmp_path / "op", "unloadable_here"), says_so=True)
    two = torch.full((2, 2), 2.0)
    assert torch.equal(read_operator(tmp_path / "op").load()(two), two * 2)
    assert len(why_set_aside(empty_store)) == 1


def test_what_was_built_just_now_is_set_aside_and_not_built_twice(
    tmp_path: Path, empty_store: Path
) -> None:
    builds = []

    def build() -> Artifact:
        builds.append(built(tmp_path / "op", "hopeless"))
        return builds[-1]

    def refuse(artifact: Artifact | None) -> None:
        raise LoadError("no")

    with pytest.raises(LoadError):
        with_whole(build, refuse)
    assert len(builds) == len(why_set_aside(empty_store)) == 1


def test_a_callable_has_nothing_to_set_aside() -> None:
    used: list[Artifact | None] = []
    assert with_whole(lambda: None, used.append) is None
    assert used == [None]
