"""What is put down of an operator: its sources, its binary, and what kind of run it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from operator_folder import DOUBLED, read_operator, write_doubled, write_operator
from opwright.records.artifact import Artifact
from opwright.session.recording import (
    LABELS,
    artifact_facts,
    label_of,
    operator_record,
    sources_digest,
)
from opwright.spec.target import ARCHITECTURES, Target

CPU = Target("cpu")


def test_the_digest_follows_the_description_and_each_source(tmp_path: Path) -> None:
    spec = read_operator(write_doubled(tmp_path)).spec
    digests = [sources_digest(spec, CPU)]
    for name in ("op.py", "kernel.cpp"):
        (tmp_path / name).write_text((tmp_path / name).read_text() + "\n")
        digests.append(sources_digest(spec, CPU))
    assert len(set(digests)) == 3


def test_an_operator_whose_source_is_missing_is_recorded_all_the_same(tmp_path: Path) -> None:
    spec = read_operator(write_operator(tmp_path, DOUBLED.format(name="sourceless"))).spec
    record = operator_record(spec, CPU, ())
    assert (record.name, record.sources_digest) == ("sourceless", "")


def test_only_substitutes_leave_something_unclaimed(tmp_path: Path) -> None:
    spec = read_operator(write_doubled(tmp_path)).spec
    assert operator_record(spec, CPU, ()).unclaimed == {}
    emulated = operator_record(spec, Target("emulated", "wave32"), ())
    assert emulated.label == "emulated"
    assert set(emulated.unclaimed) == {"memory order", "timing"}


@pytest.mark.parametrize("hit", [True, False])
def test_of_a_binary_its_key_and_how_it_was_come_by_are_kept(hit: bool, tmp_path: Path) -> None:
    facts = {"kind": "generated", "binding": "stable", "unit_seconds": {}}
    artifact = Artifact(
        "f", "cpu", tmp_path, tmp_path / "f.so", "key", "digest", {}, facts, hit, 2.0, "why"
    )
    assert artifact_facts(artifact) == {
        "build_key": "key",
        "digest": "digest",
        "hit": hit,
        "seconds": 2.0,
        "reason": "why",
        "kind": "generated",
        "binding": "stable",
    }
    assert artifact_facts(None) == {}


def test_every_kind_of_target_that_runs_has_a_label() -> None:
    assert set(LABELS) <= set(ARCHITECTURES)
    assert label_of(CPU) == "hardware"
