"""A whole run: which operators it takes, what it weighs, and what is left of it when it is cut short."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli_operators import OPERATORS
from made_record import BROKEN, HOLLOW, RIGHT, WRONG
from operator_folder import write_operator
from opwright.discovery import find_one
from opwright.errors import (
    CompileError,
    FoundFault,
    NotEvidence,
    OpwrightError,
    ReferenceFailed,
    UsageError,
)
from opwright.records.run import OperatorRecord
from opwright.session.cases import Progress
from opwright.session.run import Asked, Run, check_operators, found_operators
from opwright.spec.target import Target

CPU = Target("cpu")


@pytest.fixture
def operators(tmp_path: Path) -> Path:
    file = tmp_path / "many.py"
    file.write_text(OPERATORS)
    return file


class Told:
    """Remembers what it is told, and may stop the run."""

    def __init__(self, stop_at: str = "") -> None:
        self.begun: list[str] = []
        self.cases: list[Progress] = []
        self.stop_at = stop_at

    def begin(self, operator: str) -> None:
        self.begun.append(operator)
        if operator == self.stop_at:
            raise KeyboardInterrupt

    def case(self, progress: Progress) -> None:
        self.cases.append(progress)


def test_one_operator_named_twice_is_found_once_and_can_be_found_again(operators: Path) -> None:
    other_way = operators.parent / "." / operators.name
    found = found_operators([f"{operators}:right", f"{other_way}:right", "swish", str(operators)])
    names = [described.spec.name for _, described in found]
    assert names[:3] == ["right", "swish", "swish_backward"]
    assert len(names) == len(set(names)) == 8
    assert [find_one(address).spec.name for address, _ in found] == names


def test_an_unknown_check_is_refused_before_anything_is_found() -> None:
    with pytest.raises(UsageError, match="unknown check 'numeric'"):
        Asked(CPU, only=("numeric",))


@pytest.mark.parametrize(
    "records, errors, code",
    [
        ([RIGHT], [], 0),
        ([RIGHT, HOLLOW], [], NotEvidence.exit_code),
        ([HOLLOW, BROKEN], [], ReferenceFailed.exit_code),
        ([BROKEN, HOLLOW], [CompileError("no")], CompileError.exit_code),
        ([RIGHT, BROKEN, WRONG], [CompileError("no")], FoundFault.exit_code),
    ],
)
def test_the_worst_of_all_operators_is_the_exit_code(
    records: list[OperatorRecord], errors: list[OpwrightError], code: int
) -> None:
    assert Run(operators=records, errors=errors).exit_code == code


CALLABLE = """
op = Operator(
    "twice(Tensor x) -> Tensor",
    inputs={"x": Tensor(rows, cols)},
    dtypes=("float32",),
    reference=lambda x: 2 * x,
    function=lambda x: 2 * x,
)
"""


INFERRED = """
from opwright import Backward

op = Operator(
    "inferred(Tensor x) -> Tensor",
    inputs={"x": Tensor(rows, cols)},
    dtypes=("float32",),
    reference=lambda x: 2 * x,
    function=lambda x: 2 * x,
    backward=Backward(
        "inferred_backward(Tensor grad_output, Tensor x) -> Tensor grad_x",
        sources={"cpu": "kernel.cpp"},
    ),
)
"""


def test_a_backward_without_sources_for_the_target_is_not_checked(tmp_path: Path) -> None:
    run = Run()
    asked = Asked(Target("emulated", "wave32"), only=("empty", "gradients"))
    check_operators(run, [str(write_operator(tmp_path, INFERRED))], asked, Told())
    forward, backward = run.operators
    lacking = "inferred_backward has no sources for target emulated:wave32"
    assert {case.outcome.reason for case in forward.cases if case.check == "gradients"} == {lacking}
    assert forward.checks()["empty"] == "pass"
    (case,) = backward.cases
    assert (case.outcome.verdict, case.outcome.reason) == ("not checked", lacking)
    assert (run.errors, run.exit_code) == ([], NotEvidence.exit_code)


@pytest.mark.parametrize(
    "only",
    [
        ("empty",),
        pytest.param(("emulation",), marks=pytest.mark.exhaustive),
        ("empty", "sanitizers"),
    ],
)
def test_only_the_builds_are_run_whose_checks_are_asked_for(
    only: tuple[str, ...], tmp_path: Path
) -> None:
    run = Run()
    asked = Asked(Target("emulated", "wave32"), only=only)
    check_operators(run, [str(write_operator(tmp_path, CALLABLE))], asked, Told())
    (record,) = run.operators
    assert tuple(record.checks()) == only


def test_what_is_done_is_in_the_run_when_it_is_cut_short(operators: Path) -> None:
    run, told = Run(), Told(stop_at="wrong")
    names = [f"{operators}:{name}" for name in ("right", "wrong")]
    with pytest.raises(KeyboardInterrupt):
        check_operators(run, names, Asked(CPU, only=("empty",)), told)
    assert told.begun == ["right", "wrong"]
    assert [progress.operator for progress in told.cases] == ["right"] * len(told.cases)
    record = run.record("opwright check right wrong", "0.1.0")
    assert [(each.name, each.verdict) for each in record.operators] == [("right", "pass")]
    assert record.command == "opwright check right wrong"


def test_who_watches_is_told_the_target_of_an_operator_that_runs_on_several() -> None:
    told = Told(stop_at="swish on emulated:wave32")
    with pytest.raises(KeyboardInterrupt):
        check_operators(Run(), ["swish"], Asked(Target("emulated")), told)
    assert told.begun == ["swish on emulated:wave32"]
