"""The watched build of an operator's device code: findings with their lines, in the operator's record."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from operator_folder import read_operator, write_operator
from opwright.checks.table import choose
from opwright.discovery import find_one
from opwright.records.run import OperatorRecord
from opwright.session.checking import check_operator, checking
from opwright.session.emulating import watched, watched_cases
from opwright.session.run import Asked, on_each_target
from opwright.spec.target import Target
from opwright.worker import Worker

WAVE32, WAVE64 = Target("emulated", "wave32"), Target("emulated", "wave64")
DEFECTS = Path(__file__).parent.parent / "emulated_defects"
EXAMPLES = Path(__file__).parent.parent.parent / "examples"
CALLABLE = """
op = Operator(
    "twice(Tensor x) -> Tensor",
    inputs={"x": Tensor(rows, cols)},
    dtypes=("float32",),
    reference=lambda x: 2 * x,
    function=lambda x: 2 * x,
)
"""


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with checking(choose(["empty"])) as started:
        yield started


def empty_record(name: str) -> OperatorRecord:
    return OperatorRecord(
        name, "", "generated", "", "", str(WAVE32), "emulated", {}, (), 0.0, {"large": "no rows"}
    )


def test_a_callable_has_nothing_to_emulate_and_says_so(tmp_path: Path, worker: Worker) -> None:
    described = find_one(str(write_operator(tmp_path, CALLABLE)))
    (case,) = watched_cases(worker, str(tmp_path), described, WAVE32)
    assert (case.check, case.outcome.verdict) == ("emulation", "not checked")
    assert "no device source" in case.outcome.reason


def test_what_only_a_chip_shows_is_no_check_and_not_claimed(tmp_path: Path, worker: Worker) -> None:
    described = find_one(str(write_operator(tmp_path, CALLABLE)))
    arguments = (worker, str(tmp_path), described)
    record = watched(check_operator(*arguments, WAVE32, only=("empty",)), *arguments, WAVE32)
    assert set(record.unclaimed) == {"memory order", "timing"}
    assert set(record.checks()) == {"empty", "emulation"}
    assert check_operator(*arguments, Target("cpu"), only=("empty",)).unclaimed == {}


@pytest.mark.slow
def test_a_stray_access_is_found_in_its_line_by_block_and_thread(worker: Worker) -> None:
    folder = DEFECTS / "tail_not_guarded"
    record = watched(empty_record("o"), worker, str(folder), find_one(str(folder)), WAVE32)
    failing = [case for case in record.cases if case.outcome.verdict == "fail"]
    found = [finding for case in failing for finding in case.outcome.findings]
    assert {finding.kind for finding in found} == {"stray access"}
    lines = (folder / "kernel.cu").read_text().splitlines()
    line = lines.index("  output.data[at] = input.data[at] * 2;") + 1
    assert all(f"at kernel.cu:{line}" in finding.message for finding in found)
    assert "(block " in found[0].message
    assert record.seconds > 0


ABORTING = """
import os

op = Operator(
    "twice(Tensor x) -> Tensor",
    inputs={"x": Tensor(rows, cols)},
    dtypes=("float32",),
    reference=lambda x: os.abort() if x.shape[0] == 3 else 2 * x,
    sources={"cuda": "kernel.cu"},
)
"""
TWICE = """#include <opwright/device.h>
#include <opwright/kernel.h>

template <typename T>
__global__ void double_each(opwright::View<const T, 2> x, opwright::View<T, 2> y) {
  const int64_t at = opwright::grid_index();
  if (at < x.numel()) y.data[at] = x.data[at] * 2;
}

template <typename T>
void twice(opwright::View<const T, 2> x, opwright::View<T, 2> y, opwright::Stream stream) {
  const auto blocks = opwright::blocks_for(x.numel(), 256);
  opwright::launch(double_each<T>, blocks, 256, stream, x, y);
}
"""


@pytest.mark.slow
def test_a_reference_that_crashes_is_not_the_operators_fault_in_the_watched_build_either(
    tmp_path: Path, worker: Worker
) -> None:
    write_operator(tmp_path, ABORTING)
    (tmp_path / "kernel.cu").write_text(TWICE)
    cases = watched_cases(worker, str(tmp_path), find_one(str(tmp_path)), WAVE32)
    wrong = [case for case in cases if case.outcome.verdict != "pass"]
    assert {case.outcome.verdict for case in wrong} <= {"error", "not checked"}
    errors = [case.outcome.reason for case in wrong if case.outcome.verdict == "error"]
    assert errors
    assert all(reason.startswith("the reference, and not the operator,") for reason in errors)


def targets(folder: Path) -> list[Target]:
    spec = read_operator(folder).spec
    return [asked.target for asked in on_each_target(spec, Asked(Target("emulated")))]


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        (DEFECTS / "tail_not_guarded", [WAVE32]),
        (DEFECTS / "mask_of_32_lanes", [WAVE32, WAVE64]),
        (EXAMPLES / "add2", [WAVE32]),
        (EXAMPLES / "bias_gelu", [WAVE32, WAVE64]),
    ],
    ids=lambda value: value.name if isinstance(value, Path) else "",
)
def test_code_for_hip_is_checked_at_both_wave_sizes(folder: Path, expected: list[Target]) -> None:
    assert targets(folder) == expected
