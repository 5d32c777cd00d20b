"""From an operator to its artifact: what is asked of the store, and what a hit costs."""

from __future__ import annotations

import time
from pathlib import Path

from operator_folder import read_operator, write_doubled
from opwright.frozen import replace
from opwright.session.building import question_for
from opwright.spec.target import Target
from small_build import run_python

CPU = Target("cpu")


def test_a_question_depends_on_all_that_makes_the_request_and_on_nothing_else(
    tmp_path: Path,
) -> None:
    folder = write_doubled(tmp_path, "asked")
    spec, again = read_operator(folder).spec, read_operator(folder).spec
    assert spec.reference is not again.reference
    asked = question_for(spec, CPU, None)
    assert asked is not None
    for other, is_same in (
        (question_for(again, CPU, None), True),
        (question_for(spec, Target("cpu", "x86-64-v3"), None), False),
        (question_for(spec, CPU, "aten"), False),
        (question_for(replace(spec, dtypes=("float32",)), CPU, None), False),
        (question_for(replace(spec, compile_flags=("-O1",)), CPU, None), False),
    ):
        assert other is not None
        assert (other.receipt == asked.receipt) is is_same


def test_a_request_that_holds_translated_sources_is_never_recalled(tmp_path: Path) -> None:
    spec = read_operator(write_doubled(tmp_path, "translated")).spec
    assert question_for(spec, Target("emulated", "wave32"), None) is None


def test_a_library_that_is_known_loads_without_anything_that_builds(
    tmp_path: Path, empty_store: Path
) -> None:
    folder = write_doubled(tmp_path, "known")
    load = f"""
import sys, torch
from opwright import load
op = load({str(folder)!r})
assert torch.equal(op(torch.ones(2, 2)), torch.full((2, 2), 2.0))
print(*(name for name in sys.modules if name.startswith(("opwright.generate.", "opwright.build."))))
"""
    said = []
    for _ in range(3):  # build, look up, recall
        time.sleep(0.05)
        process = run_python(load)
        out, problems = process.communicate(timeout=300)
        assert process.returncode == 0, problems
        said.append(set(out.split()))
    assert "opwright.generate.request" in said[1]
    assert said[2] == {"opwright.build.receipt", "opwright.build.trust"}
