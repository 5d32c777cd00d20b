from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from fake_machine import FakeMachine
from opwright.build.store import Store
from opwright.doctor import store as doctor_store
from opwright.doctor.store import probe_health, probe_locks, probe_place
from opwright.lock import hold, holder_path


@pytest.fixture
def where(fake: FakeMachine) -> Path:
    folder = fake.root / "store"
    fake.environment["OPWRIGHT_STORE"] = str(folder)
    return folder


@pytest.fixture
def made(where: Path) -> Iterator[Store]:
    store = Store(where)
    store.prepare()
    return store


def test_looking_at_a_store_does_not_make_it(fake: FakeMachine, where: Path) -> None:
    finding, store = probe_place(fake.machine)
    assert finding.status == "ok"
    assert "not made yet" in finding.what
    assert (probe_locks(store), probe_health(store, quick=False)) == ([], [])
    assert not where.exists()


def test_an_empty_store_is_whole_and_its_locks_work(fake: FakeMachine, made: Store) -> None:
    finding, store = probe_place(fake.machine)
    findings = [finding, *probe_locks(store), *probe_health(store, quick=False)]
    assert [entry.status for entry in findings] == ["ok", "ok", "ok"]
    assert list(made.where.glob(".doctor-*")) == []


def test_a_store_that_others_can_write_is_a_problem_with_a_fix(
    fake: FakeMachine, made: Store
) -> None:
    made.where.chmod(0o777)
    finding, store = probe_place(fake.machine)
    assert (finding.status, store) == ("problem", None)
    assert "0777" in finding.what
    assert "chmod go-w" in finding.fix
    assert "build cpu" in finding.needed_for


def test_a_file_in_the_place_of_the_store_is_a_problem(fake: FakeMachine, where: Path) -> None:
    where.write_text("")
    assert probe_place(fake.machine)[0].status == "problem"


def test_a_store_that_cannot_be_written_is_a_problem(
    fake: FakeMachine, made: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    # for root every folder counts as writable, so the kernel's answer is stood in for
    monkeypatch.setattr(doctor_store.os, "access", lambda path, mode: False)
    finding, _ = probe_place(fake.machine)
    assert finding.status == "problem"
    assert "cannot be written" in finding.what


def test_too_little_space_is_a_problem(
    fake: FakeMachine, made: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor_store, "LEAST_BYTES", 1 << 60)
    finding, _ = probe_place(fake.machine)
    assert finding.status == "problem"
    assert "cache prune" in finding.fix


def test_a_file_system_without_locks_is_a_problem(
    made: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor_store, "can_lock", lambda path: False)
    (finding,) = probe_locks(made)
    assert finding.status == "problem"
    assert "local disk" in finding.fix


def test_who_holds_a_lock_and_who_died_with_one_are_told_apart(made: Store) -> None:
    dead = made.internal(".locks", "dead")
    holder_path(dead).write_text(json.dumps({"pid": 999_999_999, "host": "h", "since": 0.0}))
    with hold(made.internal(".locks", "alive"), purpose="a build", timeout_seconds=1):
        (finding,) = probe_locks(made)
    assert len(finding.facts["held"]) == 1
    assert "process 999999999 on host h" in finding.facts["stale"][0]
    assert finding.status == "ok"  # a dead builder's lock stops nobody


def test_a_damaged_entry_is_named(made: Store) -> None:
    entry = made.version_folder / "swish-cpu-0123" / "4567"
    entry.mkdir(parents=True)
    (entry / "manifest.json").write_text("{}")
    (finding,) = probe_health(made, quick=False)
    assert finding.status == "problem"
    assert str(entry) in finding.what
    assert "cache prune" in finding.fix
    assert probe_health(made, quick=True)[0].status == "not checked"
