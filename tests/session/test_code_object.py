"""Kernels for AMD devices, compiled by the real compiler where there is no such device."""

from __future__ import annotations

import itertools
import re
import shutil
import struct
from pathlib import Path

import pytest

import hip_compiler
from hip_compiler import write_kernel
from operator_folder import write_doubled
from opwright import errors
from opwright.discovery import find
from opwright.session.build_run import Built, build_operators
from opwright.session.building import build_operator
from opwright.session.code_object import require_hip_torch
from opwright.spec.target import Target
from opwright.toolchain.code_object import code_objects
from opwright.toolchain.torch_facts import torch_facts

ARCHITECTURES = ("gfx906", "gfx90a", "gfx942", "gfx1100", "gfx1151", "gfx9-generic")
EXAMPLES = Path(__file__).parent.parent.parent / "examples"
OPERATORS = Path(errors.__file__).parent / "ops"
# More values at the same time than the few registers that the kernel is allowed.
FEW_REGISTERS = "__attribute__((amdgpu_num_vgpr(16)))"
MANY_VALUES = """
    T many[40];
    for (int j = 0; j < 40; ++j) many[j] = input.data[(i * 7 + j * 31) % 4096];
    __builtin_amdgcn_sched_barrier(0);
    for (int j = 0; j < 40; ++j) y += many[j] * many[(j * 13 + 5) % 40];
"""


def all_compiled(folder: Path | str, architecture: str) -> list[Built]:
    """The operator of a folder, and those that compute its gradients."""
    hip_compiler.tools()
    built = list(build_operators([str(folder)], Target("hip", architecture), compile_only=True))
    for one in built:
        if one.error is not None:
            raise one.error
    return built


def compiled(folder: Path | str, architecture: str) -> Built:
    (built,) = all_compiled(folder, architecture)
    return built


@pytest.mark.parametrize("architecture", ["gfx942", "gfx1151"])
def test_a_kernel_is_compiled_and_told_of(tmp_path: Path, architecture: str) -> None:
    built = compiled(write_kernel(tmp_path / "k", "told_of"), architecture)
    assert built.artifact is not None
    assert built.artifact.facts["label"] == "compiled"
    (kernel,) = built.kernels
    assert kernel.kernel == "each<float>"
    assert kernel.architecture == architecture
    assert kernel.wave_size == {"gfx942": 64, "gfx1151": 32}[architecture]
    assert kernel.registers > 0
    assert (kernel.shared_bytes, kernel.scratch_bytes, kernel.spills) == (0, 0, False)


def test_shared_memory_and_spills_are_told(tmp_path: Path) -> None:
    shared = (
        "__shared__ T tile[256]; tile[threadIdx.x] = x; __syncthreads(); y = 2 * tile[threadIdx.x];"
    )
    built = compiled(write_kernel(tmp_path / "shared", "uses_lds", shared), "gfx942")
    assert built.kernels[0].shared_bytes == 1024
    many = write_kernel(tmp_path / "many", "spills", MANY_VALUES, attribute=FEW_REGISTERS)
    spilling = compiled(many, "gfx1151")
    (kernel,) = spilling.kernels
    assert kernel.spills
    assert kernel.spilled_registers
    assert kernel.scratch_bytes > 0


def test_the_second_time_it_is_found_and_an_edit_is_seen(tmp_path: Path) -> None:
    folder = write_kernel(tmp_path / "k", "found_again")
    first = compiled(folder, "gfx1151")
    again = compiled(folder, "gfx1151")
    assert first.artifact is not None
    assert again.artifact is not None
    assert (first.artifact.hit, again.artifact.hit) == (False, True)
    assert again.kernels == first.kernels
    other = compiled(folder, "gfx942")
    assert other.artifact is not None
    assert not other.artifact.hit
    write_kernel(folder, "found_again", "y += 1;")
    edited = compiled(folder, "gfx1151")
    assert edited.artifact is not None
    assert not edited.artifact.hit
    assert "kernel.hip" in edited.artifact.reason


def test_an_operator_that_moves_compiles_to_the_same_bytes(tmp_path: Path) -> None:
    digests = set()
    for place in ("here", "there/far"):
        folder = write_kernel(tmp_path / place, "moves")
        (described,) = find(str(folder))
        artifact = build_operator(
            described.spec, Target("hip", "gfx942"), compile_only=True, force=True
        )
        assert artifact is not None
        digests.add(artifact.digest)
        assert str(tmp_path).encode() not in artifact.library.read_bytes()
    assert len(digests) == 1


def test_an_error_in_a_kernel_is_told_with_its_line(tmp_path: Path) -> None:
    folder = write_kernel(tmp_path / "k", "wrong", "y = undeclared;")
    line = 1 + next(
        i
        for i, text in enumerate((folder / "kernel.hip").read_text().splitlines())
        if "undeclared" in text
    )
    with pytest.raises(errors.CompileError) as failed:
        compiled(folder, "gfx1151")
    assert re.search(rf"{folder}/kernel\.hip:{line}: error: .*undeclared", failed.value.what)


@pytest.mark.parametrize(
    "expression, has, lacks",
    [
        ("__builtin_amdgcn_mfma_f32_4x4x1f32(x, x, {x, x, x, x}, 0, 0, 0)[0]", "gfx942", "gfx1151"),
        ("T(__builtin_amdgcn_ballot_w32(x > 0))", "gfx1151", "gfx942"),
    ],
)
def test_what_only_other_chips_have_does_not_compile(
    tmp_path: Path, expression: str, has: str, lacks: str
) -> None:
    folder = write_kernel(tmp_path / "k", "of_some_chips", f"y = {expression};")
    assert compiled(folder, has).kernels
    with pytest.raises(errors.CompileError, match=r"kernel\.hip"):
        compiled(folder, lacks)


@pytest.mark.parametrize("architecture, number", [("gfx1151", 11_501), ("gfx9-generic", 9000)])
def test_device_libraries_know_the_architecture_by_the_constant_that_was_made(
    tmp_path: Path, architecture: str, number: int
) -> None:
    before = 'extern "C" __constant__ const int __oclc_ISA_version;'
    folder = write_kernel(
        tmp_path / "k", "knows_its_chip", "y = T(__oclc_ISA_version);", before=before
    )
    built = compiled(folder, architecture)
    assert built.artifact is not None
    (device,) = code_objects(built.artifact.library.read_bytes())
    assert struct.pack("<f", number) in device.elf


def test_a_launcher_that_is_declared_and_not_defined_is_a_link_error(tmp_path: Path) -> None:
    folder = write_kernel(tmp_path / "k", "half", before="void elsewhere();", body="")
    kernel = folder / "kernel.hip"
    text = kernel.read_text()
    kernel.write_text(text.replace("  opwright::launch(", "  elsewhere();\n  opwright::launch("))
    with pytest.raises(errors.LinkError, match="elsewhere"):
        compiled(folder, "gfx1151")


def test_a_chip_that_the_compiler_does_not_know_is_refused_with_a_stand_in(tmp_path: Path) -> None:
    folder = write_kernel(tmp_path / "k", "for_a_dcu")
    with pytest.raises(errors.ToolchainError, match="does not know gfx936") as refused:
        compiled(folder, "gfx936")
    assert "gfx9-generic stands in" in refused.value.hint


def shipped() -> list[str]:
    """The operators of the package that have a source for HIP."""
    found = sorted(path for path in OPERATORS.glob("*/op.py") if '"hip"' in path.read_text())
    assert len(found) >= 8
    return [path.parent.name for path in found]


def pairs() -> list[tuple[str, str]]:
    """Each operator with one architecture, and each architecture with an operator; a third is tested always."""
    return list(zip(shipped(), itertools.cycle(ARCHITECTURES), strict=False))


@pytest.mark.slow
@pytest.mark.parametrize(
    "operator, architecture",
    [
        *pairs()[::3],
        *(
            pytest.param(*pair, marks=pytest.mark.exhaustive)
            for pair in itertools.product(shipped(), ARCHITECTURES)
            if pair not in pairs()[::3]
        ),
    ],
)
def test_operators_that_are_shipped_spill_nothing_to_memory(
    operator: str, architecture: str
) -> None:
    wave_size = 32 if architecture.startswith("gfx1") else 64
    for built in all_compiled(OPERATORS / operator, architecture):
        assert {kernel.architecture for kernel in built.kernels} == {architecture}
        assert {kernel.wave_size for kernel in built.kernels} == {wave_size}
        # Scalars may be kept in lanes of vector registers, which is no memory.
        assert not [one for one in built.kernels if one.spilled_registers or one.scratch_bytes]


def test_only_operators_with_kernels_for_hip_can_be_compiled_alone(tmp_path: Path) -> None:
    with pytest.raises(errors.SpecError, match="has no source for target hip:gfx942"):
        compiled(write_doubled(tmp_path, "for_the_host"), "gfx942")
    with pytest.raises(errors.UsageError, match="--compile-only is for target hip"):
        list(build_operators([str(tmp_path)], Target("cpu"), compile_only=True))


def test_the_device_sources_of_an_extension_are_compiled_as_they_are(tmp_path: Path) -> None:
    for name, kernels in (("swish", 2), ("add2", 1)):
        folder = tmp_path / name
        shutil.copytree(EXAMPLES / name, folder, ignore=shutil.ignore_patterns("__pycache__"))
        before = {path: path.read_bytes() for path in folder.iterdir()}
        hip_compiler.tools()
        first, *_ = build_operators([str(folder)], Target("hip", "gfx942"), compile_only=True)
        assert len(first.kernels) == kernels
        assert {path: path.read_bytes() for path in folder.iterdir() if path in before} == before
        assert not list(folder.glob("*_hip.*"))


# What a wrapper in the same file takes from torch, and as little of it as that needs.
WITH_TORCH = """#include <{header}>
#include <hip/hip_runtime.h>
__global__ void doubled(float* values) {{ values[threadIdx.x] *= 2; }}
void launch(float* values) {{
  doubled<<<1, 64, 0, at::cuda::getCurrentCUDAStream().stream()>>>(values);
}}
"""
AN_EXTENSION = """from opwright import Dim, Extension, Operator, Tensor
doubled = Operator(
    "doubled(Tensor input) -> Tensor",
    inputs={"input": Tensor(Dim("n", typical=(64,)))},
    dtypes=("float32",),
    reference=lambda input: input * 2,
    extension=Extension(sources=("doubled.cu",), call=lambda module, input: module.doubled(input)),
)
"""


def write_extension(folder: Path, header: str) -> Path:
    folder.mkdir()
    (folder / "op.py").write_text(AN_EXTENSION)
    (folder / "doubled.cu").write_text(WITH_TORCH.format(header=header))
    return folder


@pytest.mark.parametrize("header", ["ATen/cuda/CUDAContext.h", "c10/cuda/CUDAStream.h"])
def test_a_source_that_launches_on_torchs_stream_is_compiled(tmp_path: Path, header: str) -> None:
    hip_compiler.tools()
    built = compiled(write_extension(tmp_path / "doubled", header), "gfx942")
    (kernel,) = built.kernels
    assert "doubled" in kernel.kernel


@pytest.mark.exhaustive
def test_a_source_that_includes_all_of_torch_is_compiled_as_it_is(tmp_path: Path) -> None:
    hip_compiler.tools()
    folder = tmp_path / "bias_gelu"
    shutil.copytree(EXAMPLES / "bias_gelu", folder, ignore=shutil.ignore_patterns("__pycache__"))
    assert len(compiled(folder, "gfx1151").kernels) == 1


def test_a_source_that_includes_what_torch_has_for_a_gpu_alone_is_refused(tmp_path: Path) -> None:
    hip_compiler.tools()
    folder = write_extension(tmp_path / "doubled", "ATen/cuda/detail/not_there.h")
    with pytest.raises(errors.CompileError, match=r"not_there\.h' file not found") as failed:
        compiled(folder, "gfx942")
    assert "needs a torch that is built for HIP" in failed.value.hint


@pytest.mark.skipif(bool(torch_facts().hip), reason="this torch is built for HIP")
def test_a_whole_library_needs_a_torch_for_hip(tmp_path: Path) -> None:
    folder = write_kernel(tmp_path / "k", "whole")
    with pytest.raises(errors.ToolchainError, match="bound to a torch that is built for HIP") as no:
        list(build_operators([str(folder)], Target("hip", "gfx942")))
    assert "--compile-only" in no.value.hint


def test_without_hip_in_torch_only_the_hip_target_is_refused() -> None:
    require_hip_torch(Target("cuda", "sm_90"), torch_facts())
