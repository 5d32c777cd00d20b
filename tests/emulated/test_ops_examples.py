"""The extensions under ``examples/`` run unchanged, and their documented flaws are found with no hint."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from opwright.discovery import find_one
from opwright.errors import OpwrightError
from opwright.records.run import CaseRecord
from opwright.session.checking import check_operator, checking
from opwright.session.emulating import watched_cases
from opwright.spec.target import Target
from opwright.worker import Worker

# All of torch's headers take a minute, twice.
pytestmark = pytest.mark.exhaustive

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
WAVE32, WAVE64 = Target("emulated", "wave32"), Target("emulated", "wave64")
ALL_OF_TORCH = "#include <torch/extension.h>"
LESS_OF_TORCH = """#include <ATen/core/Tensor.h>
#include <torch/csrc/utils/pybind.h>
namespace torch { using at::Tensor; }"""
FOR_DOUBLE = """
template void launch_swish_forward<double>(const double*, double*, int);
template void launch_swish_backward<double>(const double*, const double*, double*, int);
"""


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with checking(()) as started:
        yield started


def failing(worker: Worker, operator: str, target: Target, *checks: str) -> list[CaseRecord]:
    record = check_operator(worker, operator, find_one(operator), target, only=checks)
    assert [case for case in record.cases if case.outcome.verdict == "error"] == []
    return [case for case in record.cases if case.outcome.verdict == "fail"]


def told(cases: list[CaseRecord]) -> set[tuple[str, str]]:
    return {(f.kind, f.message) for case in cases for f in case.outcome.findings}


def test_a_grid_has_too_few_blocks_in_y_for_all_rows(worker: Worker) -> None:
    operator = str(EXAMPLES / "bias_gelu")
    cases = failing(worker, operator, WAVE64, "contract", "empty", "numerics")
    assert cases
    assert all("rows=65536" in case.name for case in cases)
    assert all("invalid configuration argument" in message for _, message in told(cases))


@pytest.fixture(
    params=[
        pytest.param(ALL_OF_TORCH, id="as it is"),
        pytest.param(LESS_OF_TORCH, id="less of torch"),
    ]
)
def add2(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    folder = EXAMPLES / "add2"
    if request.param != ALL_OF_TORCH:
        folder = Path(shutil.copytree(folder, tmp_path / "add2"))
        wrapper = folder / "add2.cpp"
        text = wrapper.read_text()
        assert ALL_OF_TORCH in text
        wrapper.write_text(text.replace(ALL_OF_TORCH, request.param))
    return folder


def test_any_dtype_is_taken_for_float_on_stream_0_and_nobody_asks_how_it_went(
    worker: Worker, add2: Path
) -> None:
    cases = failing(worker, str(add2), WAVE32, "empty", "numerics")
    source = (add2 / "add2.cu").read_text().splitlines()
    line = next(i for i, text in enumerate(source, 1) if "<<<" in text)
    found = told(cases)
    assert any(k == "wrong stream" and f"add2.cu:{line}" in message for k, message in found)
    assert any(k == "launch error ignored" and f"add2.cu:{line}" in message for k, message in found)
    inaccurate = [
        case.name for case in cases for f in case.outcome.findings if f.kind == "inaccurate"
    ]
    assert any("float64" in name for name in inaccurate)
    assert not any("float32" in name for name in inaccurate)


def test_a_template_lacks_the_dtype_that_the_wrapper_dispatches(worker: Worker) -> None:
    operator = f"{EXAMPLES / 'swish' / 'op.py'}:swish_extension"
    with pytest.raises(OpwrightError) as raised:
        failing(worker, operator, WAVE64, "contract")
    message = str(raised.value)
    assert "undefined symbol: void launch_swish_forward<double>(double const*" in message
    assert "add an explicit instantiation" in message


def test_a_count_in_an_int_and_stream_0_come_out_once_the_library_loads(
    tmp_path: Path, worker: Worker
) -> None:
    shutil.copytree(EXAMPLES / "swish", tmp_path / "swish")
    kernel = tmp_path / "swish" / "swish_kernel.hip"
    kernel.write_text(kernel.read_text() + FOR_DOUBLE)
    operator = f"{tmp_path / 'swish' / 'op.py'}:swish_extension"
    cases = list(watched_cases(worker, operator, find_one(operator), WAVE64))
    long = [case for case in cases if "many rows" in case.name]
    found = told([case for case in cases if case not in long])
    assert any(k == "wrong stream" and "swish_kernel.hip:" in message for k, message in found)
    assert any(
        kind == "launch error ignored" and "rows: the launch failed" in message
        for kind, message in told(long)
    )
