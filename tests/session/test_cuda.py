"""Builds for CUDA with the real compiler, on a machine that needs no GPU for it."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

import pytest

import cuda_compiler
from opwright.build import remember
from opwright.discovery import find_one
from opwright.errors import CompileError, ToolchainError
from opwright.records.artifact import Artifact
from opwright.session import building
from opwright.session.architecture import with_architecture
from opwright.session.building import build_operator
from opwright.spec.target import Target, parse_target
from opwright.toolchain.torch_facts import torch_facts

DEFECTS = Path(__file__).parent.parent / "device_defects"
TARGET = Target("cuda", "sm_90")


@pytest.fixture(autouse=True)
def _compiler() -> None:
    cuda_compiler.tools()


def built(folder: Path, target: Target = TARGET) -> Artifact:
    artifact = build_operator(find_one(str(folder)).spec, target)
    assert artifact is not None
    return artifact


@pytest.fixture
def operator(tmp_path: Path) -> Path:
    """A folder of one small operator."""
    return Path(shutil.copytree(DEFECTS / "launched_on_stream_0", tmp_path / "operator"))


def needed(library: Path) -> list[str]:
    """The libraries that the dynamic linker will look for."""
    said = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True)
    return [
        line.split("[")[1].rstrip("]") for line in said.stdout.splitlines() if "(NEEDED)" in line
    ]


def test_a_library_built_beside_a_torch_without_cuda_names_torchs_cuda_library(
    operator: Path,
) -> None:
    assert not torch_facts().cuda, "this promise is about a torch without CUDA"
    artifact = built(operator)
    assert needed(artifact.library)[0] == "libtorch_cuda.so"
    assert not [name for name in needed(artifact.library) if "cudart" in name]
    assert artifact.facts["architecture"] == "sm_90"


def test_the_same_again_is_a_hit_also_elsewhere_and_an_edit_is_none(
    operator: Path, tmp_path: Path
) -> None:
    first = built(operator)
    moved = Path(shutil.copytree(operator, tmp_path / "moved"))
    assert built(moved).build_key == first.build_key
    assert built(moved).hit
    kernel = moved / "kernel.cu"
    kernel.write_text(kernel.read_text().replace("* 2", "* 3"))
    again = built(moved)
    assert not again.hit
    assert "kernel.cu" in again.reason


def test_another_architecture_is_another_library(operator: Path) -> None:
    assert built(operator).build_key != built(operator, Target("cuda", "sm_80")).build_key


def test_an_error_in_device_code_names_the_users_line(operator: Path) -> None:
    kernel = operator / "kernel.cu"
    kernel.write_text(kernel.read_text().replace("* 2", "* two"))
    line = next(n for n, text in enumerate(kernel.read_text().splitlines(), 1) if "* two" in text)
    with pytest.raises(CompileError, match=rf"kernel\.cu:{line}: .*identifier \"two\""):
        built(operator)


def test_a_device_lambda_brings_the_flag_that_it_needs(operator: Path) -> None:
    kernel = operator / "kernel.cu"
    text = kernel.read_text()
    start = text.index("  const int64_t count")
    kernel.write_text(
        text[:start] + "  const auto twice_of = [] __device__(T x) { return x * 2; };\n"
        + text[start:].replace("input.data[at] * 2", "twice_of(input.data[at])")
    )  # fmt: skip
    assert built(operator).library.is_file()


def test_hip_source_is_compiled_over_cudas_runtime(operator: Path) -> None:
    description = (operator / "op.py").read_text().replace('"cuda": ', '"hip": ')
    (operator / "op.py").write_text(description)
    text = (operator / "kernel.cu").read_text()
    launch = text.index("  opwright::launch(")
    hip = (
        "  (void)hipGetLastError();\n"
        "  hipLaunchKernelGGL(twice<T>, dim3(blocks), dim3(kThreads), 0, stream, input, output);\n"
        "  opwright::check_launch();\n}\n"
    )
    (operator / "kernel.cu").write_text("#include <hip/hip_runtime.h>\n" + text[:launch] + hip)
    artifact = built(operator, parse_target("cuda:sm_90/hip"))
    assert needed(artifact.library)[0] == "libtorch_cuda.so"


def test_without_a_gpu_the_environment_tells_the_architecture(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "8.0;9.0+PTX Ampere")
    assert with_architecture(Target("cuda")).architecture == "sm_80,sm_90,sm_86"


def test_a_named_architecture_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "8.0")
    assert with_architecture(TARGET) == TARGET


def test_an_unknown_word_in_the_environment_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "8.0;newest")
    with pytest.raises(ToolchainError, match=r"TORCH_CUDA_ARCH_LIST holds 'newest'"):
        with_architecture(Target("cuda"))


def test_nothing_that_tells_the_architecture_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TORCH_CUDA_ARCH_LIST", raising=False)
    with pytest.raises(ToolchainError, match="for which GPU"):
        with_architecture(Target("cuda"))


def test_a_library_that_is_known_loads_without_anything_that_builds(
    operator: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        remember, "LOADED_NS", time.time_ns()
    )  # as a process that starts now has it
    kernel = operator / "kernel.cu"
    kernel.write_text(kernel.read_text() + "// of this test alone\n")
    first = built(operator)
    assert not first.hit
    time.sleep(0.1)  # the entry is older than a tick of the file system's clock
    built(operator)  # leaves the receipt: the source was not new any more when it was asked for
    monkeypatch.setattr(building, "request_for", None)  # whoever looks up needs the request
    again = built(operator)
    assert again.hit
    assert again.build_key == first.build_key
