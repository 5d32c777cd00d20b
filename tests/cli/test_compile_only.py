"""``opwright build --compile-only``: a table of kernels, and the same as JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import hip_compiler
from opwright.cli.main import main
from opwright.errors import ToolchainError, UsageError

pytestmark = pytest.mark.xdist_group("compile_only")  # one kernel is compiled for all


def build(*arguments: object) -> Result:
    words = ["build", *map(str, arguments)]
    return CliRunner().invoke(main, words, env={"COLUMNS": "160"})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    hip_compiler.tools()
    return hip_compiler.write_kernel(tmp_path_factory.mktemp("operators") / "k", "shown")


def test_each_kernel_is_a_row_and_the_label_says_that_nothing_ran(folder: Path) -> None:
    result = build(folder, "--target", "hip:gfx942", "--compile-only")
    assert result.exit_code == 0, result.output
    assert re.match(r"shown for hip:gfx942, no binding: miss, built in ", result.stdout)
    assert "label compiled: it ran nowhere" in result.stdout
    titles, row = (line.split() for line in result.stdout.splitlines()[-2:])
    assert titles == ["kernel", "VGPR", "AGPR", "SGPR", "LDS", "scratch", "wave", "spilled"]
    assert row[0] == "each<float>"
    assert row[-2:] == ["64", "none"]


def test_json_has_the_label_and_every_kernel(folder: Path) -> None:
    result = build(folder, "--target", "hip:gfx1151", "--compile-only", "--json")
    (operator,) = json.loads(result.stdout)["operators"]
    assert operator["label"] == "compiled"
    (kernel,) = operator["kernels"]
    assert kernel["architecture"] == "gfx1151"
    assert kernel["wave_size"] == 32
    assert kernel["spilled_registers"] == 0
    assert "spilled_bytes" not in kernel
    again = build(folder, "--target", "hip:gfx1151", "--compile-only", "--json")
    (found,) = json.loads(again.stdout)["operators"]
    assert (found["artifact"]["hit"], found["changed"]) == (True, "")
    assert found["kernels"] == operator["kernels"]


def test_a_target_without_an_architecture_is_asked_for_one(folder: Path) -> None:
    result = build(folder, "--target", "hip", "--compile-only")
    assert result.exit_code == ToolchainError.exit_code
    assert "PYTORCH_ROCM_ARCH is not set" in result.stderr
    assert "--target hip:gfx1151" in result.stderr


def test_for_a_target_that_needs_no_device_to_build_it_makes_no_sense(folder: Path) -> None:
    result = build(folder, "--compile-only")
    assert result.exit_code == UsageError.exit_code
    assert "--compile-only is for target hip" in result.stderr
