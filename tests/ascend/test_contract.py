"""Opwright's table of options is that of the sources in torch-npu's own wheel."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest

from ascend.environment import TORCH_NPU, Environment
from opwright.graph.superkernel.option_table import (
    DEBUG,
    GE,
    NPUGRAPH_EX,
    OPTIMIZE,
    OWN,
    STRATEGIES,
    Option,
)
from opwright.graph.superkernel.options import release_for

pytestmark = pytest.mark.xdist_group("ascend")

TABLE = release_for(TORCH_NPU).options
# Options of the compiler that have nothing to do with SuperKernel, or that need values of Python.
LEFT_OUT = {
    *("use_graph_pool", "post_grad_custom_pre_pass", "post_grad_custom_post_pass"),
    *("dump_tensor_data", "data_dump_stage", "data_dump_dir", "remove_cat_ops"),
    *("_vllm_aclnn_static_kernel_sym_index", "_vllm_aclnn_static_kernel_sym_range"),
    *("disable_static_kernel_compile_cache", "record_statistics_debug_info"),
    "unsafe_skip_npugraph_capture_validation",
}


@pytest.fixture(scope="module")
def wheel(environment: Environment) -> Path:
    return environment.site / "torch_npu"


def _valid_options(wheel: Path) -> dict[str, Any]:
    """The literal by which torch-npu checks options, after capture."""
    tree = ast.parse((wheel / "npu" / "graphs.py").read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "valid_options":
            text = re.sub(r"\b(int|str|list|dict)\b(?=[,}\s])", r"'\1'", ast.unparse(node.value))
            found: dict[str, Any] = ast.literal_eval(text)
            return found
    raise AssertionError("npu/graphs.py has no valid_options")


def _kind(option: Option) -> str:
    return {"number": "int", "text": "str", "names": "list"}[option.kind]


def test_optimize_and_debug_options_are_those_that_torch_npu_takes(wheel: Path) -> None:
    valid = _valid_options(wheel)
    for group, given in ((OPTIMIZE, "optimize_options"), (DEBUG, "debug_options")):
        theirs = {name: what["value_type"] for name, what in valid[given].items()}
        theirs.pop(STRATEGIES, None)
        ours = {o.name: _kind(o) for o in TABLE[NPUGRAPH_EX] if o.group == group}
        assert ours == theirs
    nested = valid["optimize_options"][STRATEGIES]["sub_options"]
    group = f"{OPTIMIZE}.{STRATEGIES}"
    assert {o.name: _kind(o) for o in TABLE[NPUGRAPH_EX] if o.group == group} == {
        name: what["value_type"] for name, what in nested.items()
    }


def test_options_of_the_compiler_are_those_of_its_configuration(wheel: Path) -> None:
    source = wheel / "dynamo" / "npugraph_ex" / "configs" / "compiler_config.py"
    text = source.read_text(encoding="utf-8")
    theirs = dict(re.findall(r"^        self\.(\w+) = (.+)$", text, re.MULTILINE))
    ours = {option.name: option for option in TABLE[NPUGRAPH_EX] if not option.group}
    assert set(ours) | set(OWN) | LEFT_OUT == set(theirs)
    for name, option in ours.items():
        kind = {
            "flag": "[True, False]",
            "number": "IntRangeValue",
            "choice": str(list(option.choices)),
        }
        assert kind[option.kind].replace("'", '"') in theirs[name].replace("'", '"'), name


def test_both_ways_to_a_scope_are_there(wheel: Path) -> None:
    graphs = (wheel / "npu" / "graphs.py").read_text(encoding="utf-8")
    for marker in ("begin", "end"):
        assert f"def super_kernel_scope_{marker}(scope_name: Optional[str] = None)" in graphs
    scope = (wheel / "dynamo" / "torchair" / "scope" / "__init__.py").read_text(encoding="utf-8")
    assert "def super_kernel(scope: str, options: str = '')" in scope
    assert '("_super_kernel_scope", scope), ("_super_kernel_options", options)' in scope


def test_torchair_knows_no_option_of_a_scope_so_the_table_is_all_there_is(wheel: Path) -> None:
    for option in TABLE[GE]:
        sources = (wheel / "dynamo" / "torchair").rglob("*.py")
        assert not [s for s in sources if f'"{option.name}"' in s.read_text(encoding="utf-8")]
