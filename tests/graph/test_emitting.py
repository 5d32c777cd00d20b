"""Scripts for those who have PyTorch alone: their text here, one of them in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from operator_folder import KERNEL, write_operator
from opwright.discovery import find_one
from opwright.graph.differences import EXACT, Allowed
from opwright.graph.emitting import script_for, why_not_emitted
from opwright.session.building import build_operator
from opwright.session.graph_asked import first_case
from opwright.spec.target import Target

CPU = Target("cpu")
SUM_INTO = """
sum_into = Operator(
    "sum_into(Tensor(a!) c, Tensor a, Tensor b) -> ()",
    inputs={name: Tensor(batch) for name in "cab"},
    dtypes=("float32",),
    reference=lambda c, a, b: c.copy_(a + b),
    sources={"cpu": "kernel.cpp"},
)
"""
SUM_INTO_KERNEL = """
template <typename T>
void sum_into(opwright::View<T, 1> c, opwright::View<const T, 1> a, opwright::View<const T, 1> b) {
  opwright::map(c, [](auto x, auto y) { return x + y; }, a, b);
}
"""


@pytest.fixture(scope="module")
def writing(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An operator that writes into its first argument and returns nothing."""
    folder = tmp_path_factory.mktemp("sum_into")
    return str(write_operator(folder, SUM_INTO, kernel=KERNEL + SUM_INTO_KERNEL))


def script(name: str, allowed: Allowed = EXACT, **more: object) -> str:
    spec = find_one(name).spec
    given = {"target": CPU, "library": "libit.so", "mode": ("compile", "aot_eager"), **more}
    return script_for(spec, first_case(spec), allowed=allowed, runs=3, **given)


@pytest.mark.parametrize(
    "name", ["add2", "swish", "bias_gelu", "moe_gating_top_k_softmax", "dynamic_quant"]
)
def test_a_script_is_python_that_knows_nothing_of_opwright(name: str) -> None:
    text = script(name, Allowed((1e-6, 1e-3)))
    compile(text, "script.py", "exec")
    assert "import opwright" not in text
    assert "from opwright" not in text
    assert f"NAME, NAMESPACE, SCHEMA = {name!r}, 'opwright'," in text
    assert "TOLERANCE = (1e-06, 0.001)" in text


def test_a_gpu_is_named_where_it_is_for_one() -> None:
    text = script("add2", target=Target("cuda", "sm_90"), mode=("cudagraph", ""))
    assert "DEVICE = 'cuda'" in text
    assert "MODE, BACKEND, RUNS = 'cudagraph', '', 3" in text
    assert "WRITTEN = ()" in text


def test_arguments_that_are_written_are_named(writing: str) -> None:
    assert "WRITTEN = (0,)" in script(writing)


def test_what_needs_opwright_has_none(tmp_path: Path) -> None:
    add2 = find_one("add2").spec
    assert why_not_emitted(add2, CPU) == ""
    assert "run in Opwright alone" in why_not_emitted(add2, Target("simulated"))
    callable_one = Path(__file__).parent.parent / "graph_defects" / "counts_its_calls"
    assert "which needs Opwright" in why_not_emitted(find_one(str(callable_one)).spec, CPU)


@pytest.mark.slow
@pytest.mark.parametrize(("planted", "code"), [("", 0), ("    tensors[1].mul_(1.5)\n", 3)])
@pytest.mark.parametrize("name", ["add2", "sum_into"])
def test_a_script_runs_where_only_torch_is(
    name: str, planted: str, code: int, writing: str, tmp_path: Path
) -> None:
    asked = writing if name == "sum_into" else name
    artifact = build_operator(find_one(asked).spec, CPU)
    assert artifact is not None
    (tmp_path / "libit.so").write_bytes(artifact.library.read_bytes())
    text = script(asked)
    call = "def call(operator, tensors):\n"
    assert call in text
    if planted:  # what is compiled is another thing
        text = text.replace(call, f"{call}    if torch.compiler.is_compiling():\n    {planted}")
    (tmp_path / "script.py").write_text(text)
    done = subprocess.run(
        [sys.executable, "-I", tmp_path / "script.py"], capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    assert f"{name} in compile: {'differs' if code else 'equal'}" in done.stdout
