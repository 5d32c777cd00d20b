"""Correct operators of every shape give no finding, and every check that applies has seen them pass."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from defect_folders import correct_folders
from opwright.checks.learning import training
from opwright.checks.table import choose
from opwright.discovery import find_one
from opwright.records.run import OperatorRecord
from opwright.session.checking import check_operator
from opwright.spec.target import Target
from opwright.worker import Limits, Worker

FOLDERS = correct_folders()
# A minute of compiling; another test has use for what is built, and runs in the same process.
SLOW = {"pybind_extension": [pytest.mark.slow, pytest.mark.xdist_group("pybind_extension")]}
# Each has a neighbour that is much like it, and is tried always.
ALIKE = {
    *("broadcast_over_rows", "function_without_transforms", "gate_without_gradient"),
    *("in_place_and_returned", "log_sum_exp", "quantised_with_a_scale", "row_sum"),
    *("running_total", "variance", "window_of_three"),
}
SUBJECTS = [
    pytest.param(
        folder,
        id=folder.name,
        marks=[pytest.mark.exhaustive] if folder.name in ALIKE else SLOW.get(folder.name, []),
    )
    for folder in FOLDERS
]

# Hundreds of steps of several networks. Always: a backward of its own.
ALWAYS_TRAINED = {"learned_gain"}
TRAINED = [
    pytest.param(
        folder,
        id=folder.name,
        marks=[] if folder.name in ALWAYS_TRAINED else [pytest.mark.exhaustive],
    )
    for folder in FOLDERS
    if training.CHECK.plan(find_one(str(folder)).spec).cases
]

# A call with more than 2^31 elements takes seconds. Always: kernels of one output and of two, for
# smallest elements and others, with strides, a callable and a module of Python's.
ALWAYS_LARGE = {
    *("booleans", "two_outputs_of_two_dtypes", "strided_kernel", "softmax", "python_extension")
}
LARGE = [
    pytest.param(
        folder,
        id=folder.name,
        marks=[] if folder.name in ALWAYS_LARGE else [pytest.mark.exhaustive],
    )
    for folder in FOLDERS
]


APART = {"large", "training"}  # a test of their own


@pytest.mark.parametrize("folder", SUBJECTS)
def test_no_finding_and_a_pass_of_every_check_that_applies(folder: Path, worker: Worker) -> None:
    others = [check.name for check in choose((), Target("cpu")) if check.name not in APART]
    without_fault(checked(folder, worker, *others))


@pytest.mark.parametrize("folder", TRAINED)
def test_a_network_learns_with_it(folder: Path, worker: Worker) -> None:
    without_fault(checked(folder, worker, "training"))


@pytest.mark.parametrize("folder", LARGE)
def test_no_finding_and_a_pass_where_offsets_exceed_32_bits(folder: Path, worker: Worker) -> None:
    without_fault(checked(folder, worker, "large"))


def test_what_is_tried_always_or_not_is_there() -> None:
    assert {folder.name for folder in FOLDERS} >= ALWAYS_LARGE | ALWAYS_TRAINED | ALIKE


def checked(folder: Path, worker: Worker, *only: str) -> OperatorRecord:
    worker.limits = Limits()
    return check_operator(worker, str(folder), find_one(str(folder)), Target("cpu"), only=only)


def without_fault(record: OperatorRecord) -> None:
    wrong = [c for c in record.cases if c.outcome.verdict in ("fail", "error")]
    assert not wrong, "\n".join(f"{case.check}/{case.name}: {case.outcome}" for case in wrong)
    verdicts = defaultdict(set)
    for case in record.cases:
        verdicts[case.check].add(case.outcome.verdict)
    without_pass = [check for check, seen in verdicts.items() if "pass" not in seen]
    assert not without_pass, "\n".join(
        f"{c.check}/{c.name}: {c.outcome.reason}" for c in record.cases if c.check in without_pass
    )


def test_there_are_twenty_five_correct_operators() -> None:
    assert len(FOLDERS) >= 25
