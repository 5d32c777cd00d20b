"""A library that is damaged, or whole and does not load, is set aside and built again wherever it is used."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
import torch

from operator_folder import (
    DOUBLED_KERNEL,
    KERNEL,
    read_operator,
    write_doubled,
    write_operator,
)
from opwright.build.manifest import MANIFEST
from opwright.checks.table import choose
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
    with checking(choose(["empty"])) as worker:
        record = check_operator(worker, str(folder), find_one(str(folder)), CPU, only=("empty",))
    assert record.verdict == "pass"
    assert not record.artifact["hit"]
    (why,) = why_set_aside(empty_store)
    assert ("the file is as it was built" in why) == whole
    assert ("does not load" in why) == whole


LEARNED = """
from opwright import Backward

op = Operator(
    "learned(Tensor x) -> Tensor",
    inputs={"x": Tensor(Dim("n", typical=(8,)))},
    dtypes=("float64",),
    reference=lambda x: 2 * x,
    function=lambda x: 2 * x,
    backward=Backward(
        "learned_backward(Tensor grad_output, Tensor x) -> Tensor grad_x",
        sources={"cpu": "kernel.cpp"},
        compile_flags=("-O0",),
    ),
)
"""
LEARNED_KERNEL = """
#include <opwright/kernel.h>
template <typename T>
void learned_backward(opwright::View<const T, 1> grad_output, opwright::View<const T, 1> x,
                      opwright::View<T, 1> grad_x) {
  for (int64_t i = 0; i < x.numel(); ++i) grad_x.data[i] = grad_output.data[i] * 2;
}
"""


@pytest.mark.parametrize(
    "forward, whole",
    [
        ("function", True),
        ("library", False),
        pytest.param("function", False, marks=pytest.mark.exhaustive),
        pytest.param("library", True, marks=pytest.mark.exhaustive),
    ],
)
def test_the_operators_own_library_stays_where_its_backwards_does_not_load(
    forward: str, whole: bool, tmp_path: Path, empty_store: Path
) -> None:
    text, kernel = LEARNED, LEARNED_KERNEL
    if forward == "library":
        text = text.replace("function=lambda x: 2 * x", 'sources={"cpu": "forward.cpp"}')
    (tmp_path / "op").mkdir()
    (tmp_path / "op" / "forward.cpp").write_text(
        KERNEL + DOUBLED_KERNEL.format(name="learned", factor=2).replace("T, 2>", "T, 1>")
    )
    folder = write_operator(tmp_path / "op", text, kernel=kernel)
    described = find_one(str(folder))
    artifact = build_operator(described.spec.backwards[0], CPU)
    assert artifact is not None
    harm(artifact, says_so=whole)
    with checking() as worker:
        record = check_operator(worker, str(folder), described, CPU, only=("empty", "gradients"))
    set_aside = why_set_aside(empty_store)
    # What is not whole is built again; what is, and does not load, is left to its own record.
    assert len(set_aside) == (0 if whole else 1)
    assert all("learned_backward" in why for why in set_aside)
    outcomes = [case.outcome for case in record.cases if case.check == "gradients"]
    assert {outcome.verdict for outcome in outcomes} == {"not checked" if whole else "pass"}
    if whole:
        assert all("does not load" in outcome.reason for outcome in outcomes)


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
