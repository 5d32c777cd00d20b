"""What checks have said of a binary is known to whoever times it, by its digest."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from made_record import finding, made_case, made_operator
from opwright.build.store import Store
from opwright.records.artifact import Artifact
from opwright.records.run import CaseRecord
from opwright.records.verdict import errored, not_checked, passed
from opwright.session.standing import remember_checks, what_checks_said


@pytest.fixture
def store(empty_store: Path) -> Store:
    made = Store(empty_store)
    made.prepare()
    return made


def artifact(digest: str = "ab" * 32) -> Artifact:
    place = Path("/somewhere")
    return Artifact("f", "cpu", place, place / "f.so", "key", digest, {}, {}, True, 0.5)


def remember(*cases: CaseRecord, digest: str = "ab" * 32, **changes: Any) -> None:
    remember_checks(made_operator(*cases, artifact={"digest": digest}, **changes))


PASSED = [made_case(check, "a", passed()) for check in ("numerics", "layouts")]


def test_passed_checks_are_counted(store: Store) -> None:
    remember(*PASSED, made_case("large", "a", not_checked("no memory")))
    assert what_checks_said(artifact()) == "passed 2 checks"


def test_one_check_is_one(store: Store) -> None:
    remember(PASSED[0])
    assert what_checks_said(artifact()) == "passed 1 check"


def test_failed_checks_are_named(store: Store) -> None:
    remember(*PASSED, made_case("leak", "a", finding()), made_case("threads", "b", finding()))
    assert what_checks_said(artifact()) == "failed leak, threads"


def test_checks_with_errors_are_named(store: Store) -> None:
    remember(*PASSED, made_case("leak", "a", errored("the reference raises")))
    assert what_checks_said(artifact()) == "had errors in leak"


def test_nothing_is_known_of_another_binary_or_of_one_nobody_checked(store: Store) -> None:
    remember(*PASSED)
    told = "not checked: no run of `opwright check` on this binary is known here"
    assert what_checks_said(artifact("cd" * 32)) == told
    remember(made_case("large", "a", not_checked("no memory")), digest="ef" * 32)
    assert what_checks_said(artifact("ef" * 32)) == told


def test_a_function_has_no_binary(store: Store) -> None:
    remember_checks(made_operator(*PASSED, artifact={}))
    assert what_checks_said(None).startswith("not checked: a Python function has no binary")


def test_a_later_run_of_one_check_does_not_forget_the_others(store: Store) -> None:
    remember(*PASSED)
    remember(made_case("leak", "a", finding()))
    assert what_checks_said(artifact()) == "failed leak"
    remember(made_case("leak", "a", passed()))
    assert what_checks_said(artifact()) == "passed 3 checks"


@pytest.mark.parametrize("text", ["", "[]", "{", '{"checks": 3}'])
def test_a_note_that_is_damaged_says_nothing_and_is_written_anew(store: Store, text: str) -> None:
    remember(*PASSED)
    (note,) = store.internal(".checked").iterdir()
    note.write_text(text)
    assert what_checks_said(artifact()).startswith("not checked: no run")
    remember(*PASSED)
    assert json.loads(note.read_text())["checks"] == {"numerics": "pass", "layouts": "pass"}


def test_a_store_that_cannot_be_written_keeps_nothing_and_does_not_complain(store: Store) -> None:
    store.internal(".checked").write_text("no folder\n")
    remember(*PASSED)
    assert what_checks_said(artifact()).startswith("not checked: no run")


def test_old_notes_are_pruned_with_what_else_is_old(store: Store) -> None:
    for digest in ("ab" * 32, "cd" * 32):
        remember(*PASSED, digest=digest)
    old = store.internal(".checked", f"{'ab' * 32}.json")
    os.utime(old, (1.0, 1.0))
    store.prune(keep_days=30)
    assert what_checks_said(artifact("ab" * 32)).startswith("not checked")
    assert what_checks_said(artifact("cd" * 32)) == "passed 2 checks"
