"""A trace becomes inputs only where every file is for certain what the compiler saw."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from opwright.build.digests import Digests, signature_of
from opwright.build.inputs import Inputs
from opwright.build.observe import Changed, Unseen, observe
from opwright.build.plan import Action, Plan
from opwright.build.roots import Roots
from opwright.build.trace import Trace, read_trace
from opwright.toolchain.base import Step


@pytest.fixture
def header(tmp_path: Path) -> Path:
    path = tmp_path / "k.h"
    path.write_text("#define K 2\n")
    time.sleep(0.05)
    return path


def plan_of(folder: Path, *reads: Path) -> Plan:
    """One unit whose depfile lists ``reads``."""
    depfile = folder / "k.d"
    depfile.write_text(f"k.o: {' '.join(map(str, reads))}\n")
    step = Step("k.cpp", folder / "k.cpp", folder / "k.o", depfile)
    action = Action("k.cpp", (), folder, (), folder / "k.o")
    return Plan((step,), (action,), action)


def trace_of(*paths: Path) -> Trace:
    trace = Trace()
    for path in paths:
        trace.reads[str(path)] = signature_of(path.stat())
        trace.seen_ns[str(path)] = time.time_ns()
    return trace


def look(trace: Trace, plan: Plan, tmp_path: Path) -> object:
    roots = Roots(((str(tmp_path), "root"),))
    return observe(trace, plan, tmp_path / "private", roots, Digests())


def test_a_whole_trace_gives_names_that_can_move(tmp_path: Path, header: Path) -> None:
    trace = trace_of(header)
    trace.missing[str(tmp_path / "a/k.h")] = None
    found = look(trace, plan_of(tmp_path, header), tmp_path)
    assert isinstance(found, Inputs)
    assert list(found.reads) == ["{root}/k.h"]
    assert found.missing == {"{root}/a": ["k.h"]}


def test_a_file_that_changed_since_is_changed(tmp_path: Path, header: Path) -> None:
    trace = trace_of(header)
    header.write_text("#define K 5\n")
    assert look(trace, plan_of(tmp_path, header), tmp_path) == Changed(str(header))


def test_a_file_written_in_the_tick_in_which_it_was_opened_is_changed(
    tmp_path: Path, header: Path
) -> None:
    trace = trace_of(header)
    trace.seen_ns[str(header)] = header.stat().st_ctime_ns + 1_000_000
    assert look(trace, plan_of(tmp_path, header), tmp_path) == Changed(str(header))


def test_a_file_that_has_appeared_since_is_changed(tmp_path: Path, header: Path) -> None:
    trace = trace_of(header)
    trace.missing[str(tmp_path / "opt.h")] = None
    (tmp_path / "opt.h").write_text("")
    assert look(trace, plan_of(tmp_path, header), tmp_path) == Changed(str(tmp_path / "opt.h"))


def test_a_file_that_only_the_compilers_own_list_has_makes_the_trace_useless(
    tmp_path: Path, header: Path
) -> None:
    other = tmp_path / "other.h"
    other.write_text("")
    found = look(trace_of(header), plan_of(tmp_path, header, other), tmp_path)
    assert found == Unseen(f"{other} was read, and the tracer did not see it")


def test_another_spelling_of_a_path_is_the_same_file(tmp_path: Path, header: Path) -> None:
    (tmp_path / "sub").mkdir()
    spelled = tmp_path / "sub" / ".." / "k.h"
    found = look(trace_of(header), plan_of(tmp_path, spelled), tmp_path)
    assert isinstance(found, Inputs)


def record(*fields: object) -> str:
    return "\t".join(map(str, fields)) + "\0"


def test_a_record_is_read_for_the_wanted_programs_outside_the_private_folder(
    tmp_path: Path,
) -> None:
    private = tmp_path / "private"
    numbers = (1, 2, 3, 4, 5, 6)
    text = (
        record("R", "cc1plus", *numbers, "/x/with\ttab and\nline.h")
        + record("N", "cc1plus", *numbers, "/x/none.h")
        + record("D", "cc1plus", *numbers, "/x/folder")
        + record("R", "sh", *numbers, "/x/script")
        + record("R", "cc1plus", *numbers, f"{private}/generated/k.cpp")
        + record("R", "cc1plus", *numbers, "/proc/self/status")
    )
    (tmp_path / "trace").write_bytes(os.fsencode(text))
    trace = read_trace(tmp_path / "trace", "cc1plus|ld", private)
    assert trace.reads == {"/x/with\ttab and\nline.h": (1, 2, 3, 4, 5)}
    assert trace.seen_ns == {"/x/with\ttab and\nline.h": 6}
    assert (list(trace.missing), list(trace.folders)) == (["/x/none.h"], ["/x/folder"])
    assert (trace.changed, trace.problem) == ("", "")


def test_two_states_of_one_file_are_a_change_and_an_unknown_one_a_problem(tmp_path: Path) -> None:
    text = record("R", "ld", 1, 2, 3, 4, 5, 6, "/x/a") + record("R", "ld", 1, 2, 3, 4, 7, 8, "/x/a")
    (tmp_path / "trace").write_text(text + record("E", "ld", 0, 0, 0, 0, 0, 0, ""))
    trace = read_trace(tmp_path / "trace", "ld", tmp_path / "private")
    assert trace.changed == "/x/a"
    assert trace.problem


def test_no_record_at_all_is_a_problem(tmp_path: Path) -> None:
    assert read_trace(tmp_path / "trace", "ld", tmp_path).problem
