"""A failing case shrinks to the smallest that fails alike, and becomes a program that shows the fault."""

from __future__ import annotations

import contextlib
import io
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from opwright.checks import layouts, numerics
from opwright.checks.planning.simpler import simpler, weight
from opwright.checks.table import choose
from opwright.discovery import find_one
from opwright.inputs.call import make_call
from opwright.records.verdict import Finding, Outcome, failed, passed
from opwright.session.checking import check_operator, checking
from opwright.session.reproduction import reproduction
from opwright.session.shrinking import shrink
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.target import Target

OPERATOR = """
import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(64,), edge=(3, 5))
columns = Dim("columns", typical=(64,), edge=(1, 17))

def doubled(input):
    result = input * 2
    if input.shape[1] > 4:
        result[:, 4] = 7
    return result

operator = Operator(
    "doubled(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    dtypes=("float32", "bfloat16"),
    reference=lambda input: input * 2,
    function=doubled,
)
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("doubled") / "op.py"
    path.write_text(OPERATOR)
    return path


@pytest.fixture(scope="module")
def spec(file: Path) -> OperatorSpec:
    return find_one(str(file)).spec


def large(spec: OperatorSpec) -> Case:
    return max(numerics.cases(spec), key=weight)


def test_sizes_dtype_and_values_shrink_to_the_least_that_fails(spec: OperatorSpec) -> None:
    def run(case: Case) -> Outcome:
        wrong = case.sizes["columns"] > 4  # type: ignore[operator]
        return failed(Finding("inaccurate", "")) if wrong else passed()

    case = replace(large(spec), dtypes={"T": "bfloat16"})
    best = shrink(spec, case, "inaccurate", run, seconds=20)
    assert best.sizes == {"rows": 1, "columns": 5}
    assert best.dtypes == {"T": "float32"}
    assert (best.values, best.seed) == ("zeros", 0)


def test_another_kind_of_finding_is_not_the_same_fault(spec: OperatorSpec) -> None:
    def run(case: Case) -> Outcome:
        return failed(Finding("inaccurate" if case == original else "crash", ""))

    original = large(spec)
    assert shrink(spec, original, "inaccurate", run, seconds=20) == original


def test_no_time_is_no_change(spec: OperatorSpec) -> None:
    case = large(spec)
    run = pytest.fail
    assert shrink(spec, case, "inaccurate", run, seconds=0) == case  # type: ignore[arg-type]


def test_every_simpler_case_can_be_made_and_is_another(spec: OperatorSpec) -> None:
    for case in [*numerics.cases(spec), *layouts.cases(spec)]:
        for candidate in simpler(spec, case):
            assert candidate != case
            make_call(spec, candidate)


@pytest.mark.parametrize(
    "layout", ["", "transposed", "offset 3", "step 2", "expanded", "padded rows"]
)
@pytest.mark.parametrize("size", [3, 40])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_program_builds_the_same_tensor(
    spec: OperatorSpec, layout: str, size: int, dtype: str
) -> None:
    laid_out = {"input": layout} if layout else {}
    case = Case("numerics", "", {"T": dtype}, {"rows": size, "columns": size}, {}, laid_out, seed=3)
    program = reproduction("unused", spec, case).split("operator =")[0]
    names: dict[str, torch.Tensor] = {}
    exec(program, names)
    wanted = make_call(spec, case).arguments["input"]
    assert torch.equal(names["input"], wanted)
    assert names["input"].dtype == wanted.dtype
    assert names["input"].stride() == wanted.stride()
    assert names["input"].storage_offset() == wanted.storage_offset()


def test_a_check_ends_in_a_program_that_shows_the_fault(file: Path, spec: OperatorSpec) -> None:
    with checking(choose(["numerics"])) as worker:
        record = check_operator(
            worker, str(file), find_one(str(file)), Target("cpu"), only=("numerics",), shrinks=True
        )
    shown = [case for case in record.cases if case.reproduction]
    assert shown
    assert all(case.shrunk["sizes"]["columns"] == 5 for case in shown)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(shown[0].reproduction, {})
    assert "7." in printed.getvalue()
