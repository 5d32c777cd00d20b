"""Which operators become a script for a machine with torch-npu, and what that script is told."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from opwright.discovery import find_one
from opwright.graph.differences import Allowed
from opwright.graph.superkernel.emitting import script_for, why_not_emitted
from opwright.session.graph_asked import first_case
from opwright.spec.operator import OperatorSpec

DESCRIPTION = """
import math

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(8,))
FACTOR = 2.0


def plain(x):
    return torch.ops.vendor.doubled(x, math.floor(1.5))


def with_a_constant(x):
    return torch.ops.vendor.doubled(x, FACTOR)


def with_a_closure():
    factor = 3

    def inner(x):
        return torch.ops.vendor.doubled(x, factor)

    return inner


op = Operator(
    "op(Tensor x) -> Tensor", inputs={"x": Tensor(n)}, dtypes=("float16",),
    reference=lambda x: x * 2, function=%s,
)
"""
REFUSED = {
    "with_a_constant": "with_a_constant uses FACTOR of its file",
    "with_a_closure()": "inner uses variables of the function around it",
    "lambda x: x": "the operator's function has no text of its own",
}


def _spec(folder: Path, function: str) -> OperatorSpec:
    (folder / "op.py").write_text(DESCRIPTION % function, encoding="utf-8")
    return find_one(str(folder / "op.py")).spec


@pytest.mark.parametrize("function", REFUSED)
def test_a_function_that_a_script_cannot_have_is_refused(function: str, tmp_path: Path) -> None:
    assert REFUSED[function] in why_not_emitted(_spec(tmp_path, function))


def test_an_operator_of_torch_stands_in_the_script_by_its_name(tmp_path: Path) -> None:
    spec = _spec(tmp_path, "torch.ops.aten.relu")
    assert why_not_emitted(spec) == ""
    assert "operator = torch.ops.aten.relu\n" in _script(spec, "ge")


@pytest.mark.parametrize(
    "option", ["npugraph_ex:scope=sp1:split_mode=2", "ge:scope=sp1:stream-fusion=1"]
)
def test_the_script_holds_the_function_its_modules_and_its_options(
    option: str, tmp_path: Path
) -> None:
    text = _script(_spec(tmp_path, "plain"), option)
    compile(text, "script", "exec")
    assert "import math" in text
    assert "    return torch.ops.vendor.doubled(x, math.floor(1.5))\n" in text
    assert "'sp1'" in text
    if option.startswith("ge"):
        assert "OPTIONS = 'stream-fusion=1'" in text
        assert "FULL_CORES = 'stream-fusion=1:debug-aic-num=24:debug-aiv-num=48'" in text
    else:
        assert "'super_kernel_optimize_options': {'split_mode': 2}" in text
        assert "'super_kernel_debug_options': {'debug_per_op_max_core_num': 1}" in text


def _script(spec: OperatorSpec, option: str) -> str:
    return script_for(spec, first_case(spec), option=option, allowed=Allowed(), runs=2, seconds=5.0)


@pytest.mark.skipif(find_spec("torch_npu") is not None, reason="torch-npu is here")
def test_the_script_says_what_is_missing_and_ends_with_a_code_of_its_own(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(_script(_spec(tmp_path, "plain"), "npugraph_ex"))
    ended = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (4, "")
    assert ended.stderr.splitlines() == [
        "nothing was tried: No module named 'torch_npu'. This needs PyTorch and torch-npu."
    ]
