"""The declarations of the stable C ABI that bindings are compiled with are torch's own."""

from __future__ import annotations

import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

from opwright.toolchain.torch_facts import torch_facts

INCLUDE = Path(str(files("opwright"))) / "include"


def compiles(source: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    unit = tmp_path / "unit.cpp"
    unit.write_text(source)
    torch = torch_facts()
    includes = [f"-I{INCLUDE}", *(f"-I{folder}" for folder in torch.include_dirs)]
    command = ["g++", "-std=c++17", "-fsyntax-only", *includes, str(unit)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_they_agree_with_the_headers_of_the_installed_torch(tmp_path: Path) -> None:
    source = (
        "#define TORCH_TARGET_VERSION 0x020a000000000000\n"
        "#include <torch/csrc/stable/c/shim.h>\n#include <opwright/torch_stable.h>\n"
    )
    done = compiles(source, tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "wrong", ["int64_t aoti_torch_dtype_float32();", "int32_t torch_delete_string(int);"]
)
def test_a_declaration_that_differs_does_not_compile(wrong: str, tmp_path: Path) -> None:
    source = f'#include <torch/csrc/stable/c/shim.h>\nextern "C" {{ {wrong} }}\n'
    assert compiles(source, tmp_path).returncode != 0
