"""From a description to a living operator."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from operator_folder import DOUBLED, read_operator, write_doubled, write_operator
from opwright import load
from opwright.errors import CompileError, SpecError, ToolchainError, UsageError
from opwright.operator import Operator
from opwright.records.artifact import Artifact
from opwright.session import implementation as module
from opwright.session.building import build_operator
from opwright.session.recording import sources_digest
from opwright.spec.operator import OperatorSpec
from opwright.spec.target import Target

TWO = torch.full((2, 2), 2.0)


def test_load_builds_and_registers(tmp_path: Path) -> None:
    op = load(write_doubled(tmp_path, "loaded"))
    assert op.implementation.ready
    assert torch.equal(op(TWO), TWO * 2)


def test_the_first_call_builds(tmp_path: Path) -> None:
    op = read_operator(write_doubled(tmp_path, "on_demand"))
    assert not op.implementation.ready
    assert torch.equal(op(x=TWO), TWO * 2)
    assert op.implementation.ready


def test_tensors_without_data_need_no_build(tmp_path: Path) -> None:
    op = read_operator(write_operator(tmp_path, DOUBLED.format(name="never_built")))
    assert op(TWO.to("meta")).shape == (2, 2)
    assert not op.implementation.ready


def test_a_call_without_tensors_is_refused_by_the_dispatcher(tmp_path: Path) -> None:
    op = read_operator(write_operator(tmp_path, DOUBLED.format(name="no_tensors")))
    with pytest.raises(RuntimeError, match="missing value for argument 'x'"):
        op()


@pytest.mark.parametrize("harm", [b"", b"\x7fELF", None])
def test_a_harmed_library_is_set_aside_and_built_again(
    harm: bytes | None, tmp_path: Path, empty_store: Path
) -> None:
    spec = read_operator(write_doubled(tmp_path / "op", "harmed")).spec
    artifact = build_operator(spec, Target("cpu"))
    assert artifact is not None
    whole = artifact.library.read_bytes()
    artifact.library.chmod(0o644)
    artifact.library.write_bytes(whole[: len(whole) // 2] if harm is None else harm)
    op = read_operator(tmp_path / "op").load()
    assert torch.equal(op(TWO), TWO * 2)


def test_a_missing_source_is_named_with_its_field(tmp_path: Path) -> None:
    (tmp_path / "kernal.cpp").touch()
    op = read_operator(write_operator(tmp_path, DOUBLED.format(name="sourceless")))
    with pytest.raises(SpecError) as caught:
        op.load()
    line = 1 + (tmp_path / "op.py").read_text().splitlines().index("op = Operator(")
    expected = (
        f"{tmp_path / 'op.py'}:{line}: field 'sources': {tmp_path / 'kernel.cpp'} does not exist"
    )
    assert caught.value.what == expected
    assert "Did you mean 'kernal.cpp'?" in caught.value.hint


@pytest.mark.parametrize(
    "make, why", [(Path.mkdir, "is a folder, not a file"), (os.mkfifo, "is not a regular file")]
)
def test_a_source_that_is_no_file_is_not_told_to_be_missing(
    make: Callable[[Path], None], why: str, tmp_path: Path
) -> None:
    make(tmp_path / "kernel.cpp")
    op = read_operator(write_operator(tmp_path, DOUBLED.format(name="fileless")))
    with pytest.raises(SpecError) as caught:
        op.load()
    assert caught.value.what.endswith(f"field 'sources': {tmp_path / 'kernel.cpp'} {why}")
    assert "Did you mean 'kernel.cpp'" not in caught.value.hint
    with pytest.raises(OSError, match=why):
        sources_digest(op.spec, Target("cpu"))


def test_a_target_without_sources_is_named(tmp_path: Path) -> None:
    op = read_operator(write_doubled(tmp_path, "cpu_only"))
    with pytest.raises(SpecError, match="cpu_only has no source for target cuda:sm_90"):
        op.load("cuda:sm_90")
    with pytest.raises(UsageError, match="unknown target 'cup'"):
        op.load("cup")
    with pytest.raises(ToolchainError, match="unknown binding 'stabel'"):
        op.load(binding="stabel")


def test_a_kernel_of_another_signature_does_not_build(tmp_path: Path) -> None:
    write_doubled(tmp_path, "mistaken")
    kernel = (tmp_path / "kernel.cpp").read_text().replace("View<const T, 2>", "View<const T, 1>")
    (tmp_path / "kernel.cpp").write_text(kernel)
    with pytest.raises(CompileError, match="mistaken"):
        read_operator(tmp_path).load()


def test_what_cannot_be_built_leaves_the_old_kernel(tmp_path: Path) -> None:
    op = load(write_doubled(tmp_path, "kept"))
    (tmp_path / "kernel.cpp").write_text("#error not yet\n")
    with pytest.raises(CompileError, match="not yet"):
        op.load()
    assert torch.equal(op(TWO), TWO * 2)


TAUGHT = """
from opwright import Backward

op = Operator(
    "taught(Tensor x) -> Tensor", inputs={"x": Tensor(rows)}, dtypes=("float32",),
    reference=lambda x: 2 * x, sources={"cpu": "kernel.cpp", "cuda": "kernel.cu"},
    compile_flags=("-O0",),
    backward=Backward(
        "taught_backward(Tensor grad_output, Tensor x) -> Tensor grad_x",
        sources={"cpu": "gradient.cpp", "cuda": "gradient.cu"},
        compile_flags=("-O0",),
    ),
)
"""
HOST_KERNEL = """
#include <opwright/kernel.h>
template <typename T>
void taught{name}({gradient}opwright::View<const T, 1> x, opwright::View<T, 1> output) {{
  for (int64_t i = 0; i < x.numel(); ++i) output.data[i] = T({factor});
}}
"""
DEVICE_KERNEL = """
#include <opwright/device.h>
#include <opwright/kernel.h>
template <typename T>
__global__ void fill(opwright::View<T, 1> output) {{
  const int64_t at = opwright::grid_index();
  if (at < output.numel()) output.data[at] = T({factor});
}}
template <typename T>
void taught{name}({gradient}opwright::View<const T, 1> x, opwright::View<T, 1> output,
                  opwright::Stream stream) {{
  opwright::launch(fill<T>, opwright::blocks_for(output.numel(), 64), 64, stream, output);
}}
"""
GRADIENT = {"name": "_backward", "gradient": "opwright::View<const T, 1> grad_output, "}


def write_taught(folder: Path) -> Path:
    """An operator and its backward, whose kernels write 1 and 10 on the CPU, 2 and 20 emulated."""
    write_operator(folder, TAUGHT)
    for suffix, text, factor in (("cpp", HOST_KERNEL, 1), ("cu", DEVICE_KERNEL, 2)):
        (folder / f"kernel.{suffix}").write_text(text.format(name="", gradient="", factor=factor))
        (folder / f"gradient.{suffix}").write_text(text.format(factor=10 * factor, **GRADIENT))
    return folder


def learned(op: Operator) -> tuple[float, float]:
    """What a kernel writes, and what its backward's does."""
    x = torch.ones(1, requires_grad=True)
    y = op(x)
    y.backward()
    assert x.grad is not None
    return y.item(), x.grad.item()


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is built or found, in order."""
    asked: list[str] = []

    def building(spec: OperatorSpec, target: Target, *, binding: str | None) -> Artifact | None:
        asked.append(f"{spec.name} {target} {binding}")
        return build_operator(spec, target, binding=binding)

    monkeypatch.setattr(module, "build_operator", building)
    return asked


def test_a_backward_is_loaded_as_its_forward_was_by_its_first_call(
    tmp_path: Path, builds: list[str]
) -> None:
    op = read_operator(write_taught(tmp_path)).load("cpu:x86-64", binding="stable")
    assert builds == ["taught cpu:x86-64 stable"]
    assert learned(op) == learned(op) == (1, 10)
    assert builds[1:] == ["taught_backward cpu:x86-64 stable"]
    op.load("cpu")
    assert builds[2:] == ["taught cpu None", "taught_backward cpu None"]
    assert learned(op) == (1, 10)
    assert len(builds) == 4


def test_a_backward_that_is_called_itself_follows_its_forward(
    tmp_path: Path, builds: list[str]
) -> None:
    op = read_operator(write_taught(tmp_path))
    (backward,) = op.backwards
    assert backward.implementation in op.implementation.backwards
    op.load("cpu:x86-64")
    one = torch.ones(1)
    assert float(backward(one, one)) == 10
    assert builds == ["taught cpu:x86-64 None", "taught_backward cpu:x86-64 None"]


@pytest.mark.slow
def test_an_emulated_operator_learns_with_emulated_kernels(tmp_path: Path) -> None:
    op = read_operator(write_taught(tmp_path)).load("emulated")
    assert learned(op) == (2, 20)
    assert learned(op.load()) == (1, 10)
    assert learned(op.load("emulated")) == (2, 20)


@pytest.mark.slow
def test_no_kernel_for_another_target_computes_gradients(tmp_path: Path) -> None:
    write_taught(tmp_path)
    description = tmp_path / "op.py"
    description.write_text(description.read_text().replace(', "cuda": "gradient.cu"', ""))
    op = read_operator(tmp_path).load()
    assert learned(op) == (1, 10)
    op.load("emulated")  # inference needs no backward
    assert float(op(torch.ones(1))) == 2
    with pytest.raises(SpecError, match="taught_backward has no source for target emulated"):
        learned(op)
    assert learned(op.load()) == (1, 10)


def test_sources_may_be_many_and_in_folders(tmp_path: Path) -> None:
    description = DOUBLED.format(name="many").replace(
        '"kernel.cpp"', '("kernel.cpp", "more/kernel.cpp")'
    )
    write_operator(tmp_path, description, kernel="""
#include <opwright/kernel.h>
int factor();
template <typename T>
void many(opwright::View<const T, 2> x, opwright::View<T, 2> output) {
  for (int64_t i = 0; i < x.numel(); ++i) output.data[i] = x.data[i] * T(factor());
}
""")  # fmt: skip
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "kernel.cpp").write_text("int factor() { return 9; }\n")
    assert torch.equal(load(tmp_path)(TWO), TWO * 9)


def test_the_users_folder_is_not_written_to(tmp_path: Path) -> None:
    write_doubled(tmp_path, "untouched")
    before = sorted((path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*"))
    folder = tmp_path.stat().st_mtime_ns
    load(tmp_path)(TWO)
    assert sorted((path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*")) == before
    assert tmp_path.stat().st_mtime_ns == folder
