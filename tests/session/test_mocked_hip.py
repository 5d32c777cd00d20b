"""The whole way to a library for HIP beside a torch that says it is built for it, by the real compiler.

What is made up: what torch says of itself and of its device, and a ROCm whose hipcc writes down how it
is called and hands over to the clang++ that is here. Nothing runs on a device.
"""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

import hip_compiler
from opwright.build.builder import build
from opwright.frozen import replace
from opwright.generate.stand_in import stand_in_request
from opwright.records.artifact import Artifact
from opwright.session import building
from opwright.session.architecture import with_architecture
from opwright.session.building import build_operator
from opwright.spec.target import Target
from opwright.toolchain.code_object import kernel_resources
from opwright.toolchain.torch_facts import torch_facts

# As hipcc does: it says what it is called with, and knows where the runtime is.
HIPCC = """#!/bin/sh
{{ printf '%s ' "HIP_PLATFORM=$HIP_PLATFORM" "$@"; echo; }} >> {log}
case " $* " in *" -shared "*) exec {clang} "$@" -lamdhip64;; esac
exec {clang} "$@"
"""


class HipTorch:
    """A torch for HIP and its ROCm, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.rocm, self.log = folder / "rocm", folder / "calls.txt"
        self.root = folder / "torch"

    def calls(self, *words: str) -> list[list[str]]:
        """How hipcc was called, where all of ``words`` stood in the call."""
        lines = [line.split() for line in self.log.read_text().splitlines()]
        return [line for line in lines if set(words) <= set(line)]


@pytest.fixture
def hip_torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HipTorch:
    made = HipTorch(tmp_path)
    clang = hip_compiler.tools().driver[0]
    hipcc = made.rocm / "bin" / "hipcc"
    hipcc.parent.mkdir(parents=True)
    hipcc.write_text(HIPCC.format(log=shlex.quote(str(made.log)), clang=clang))
    hipcc.chmod(0o755)
    monkeypatch.setenv("ROCM_HOME", str(made.rocm))
    (made.root / "lib").mkdir(parents=True)
    stand_in = build(stand_in_request(Target("hip", "gfx1151"))).library
    for library in (stand_in, *torch_facts().library_dir.glob("lib*.so*")):
        (made.root / "lib" / library.name).symlink_to(library)
    facts = replace(torch_facts(), root=made.root, version="2.13.0+rocm6.3", hip="6.3.42134")
    monkeypatch.setattr(building, "torch_facts", lambda: facts)
    properties = SimpleNamespace(gcnArchName="gfx90a:sramecc+:xnack-", warp_size=64)
    monkeypatch.setattr(torch.version, "hip", "6.3.42134")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _: properties)
    return made


def built(folder: Path, target: Target) -> Artifact:
    artifact = build_operator(hip_compiler.make_kernel(folder).spec, target)
    assert artifact is not None
    return artifact


def dynamic(library: Path) -> str:
    done = subprocess.run(
        ["readelf", "-dW", "--dyn-syms", library], capture_output=True, text=True, check=True
    )
    return done.stdout


def test_a_library_for_hip_is_compiled_linked_and_bound_by_the_names_of_torch_for_hip(
    hip_torch: HipTorch, tmp_path: Path
) -> None:
    folder = tmp_path / "operator"
    artifact = built(folder, Target("hip", "gfx1151"))
    assert artifact.target == "hip:gfx1151"
    (kernel,) = kernel_resources(artifact.library)
    assert (kernel.architecture, kernel.wave_size) == ("gfx1151", 32)
    said = dynamic(artifact.library)
    for needed in ("libtorch_hip.so", "libtorch_cpu.so", "libamdhip64.so"):
        assert f"[{needed}" in said
    for name in ("aoti_torch_get_current_cuda_stream", "hipLaunchKernel"):
        assert [line for line in said.splitlines() if "UND" in line and name in line]
    assert [line for line in said.splitlines() if "UND" not in line and "opwright_register" in line]
    assert str(tmp_path).encode() not in artifact.library.read_bytes()


def test_hipcc_gets_device_code_and_the_link_and_always_knows_its_platform(
    hip_torch: HipTorch, tmp_path: Path
) -> None:
    built(tmp_path / "operator", Target("hip", "gfx1151"))
    assert len(hip_torch.calls()) == len(hip_torch.calls("HIP_PLATFORM=amd"))
    compiles = [call for call in hip_torch.calls("-c", "hip") if "-###" not in call]
    (compile_,) = compiles
    assert {"--offload-arch=gfx1151", "-std=c++17", "-fPIC", "-O3"} <= set(compile_)
    assert compile_[compile_.index("-c") + 1].endswith("generated/kernel__.hip")
    (link,) = [call for call in hip_torch.calls("-shared") if "-###" not in call]
    assert {"-ltorch_hip", "-ltorch_cpu", "-lc10", "-Wl,-z,defs"} <= set(link)
    assert f"-L{hip_torch.root}/lib" in link
    assert not [call for call in hip_torch.calls("-c") if call[-3].endswith("binding__.cpp")]


def test_sources_stay_as_they_are_and_nothing_is_written_beside_them(
    hip_torch: HipTorch, tmp_path: Path
) -> None:
    folder = tmp_path / "operator"
    hip_compiler.write_kernel(folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    built(folder, Target("hip", "gfx1151"))
    assert {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file()} == before


def test_the_architecture_is_the_devices_and_without_one_the_environments(
    hip_torch: HipTorch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTORCH_ROCM_ARCH", "gfx942")
    assert with_architecture(Target("hip")) == Target("hip", "gfx90a")
    assert built(tmp_path / "operator", Target("hip")).target == "hip:gfx90a"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert with_architecture(Target("hip")) == Target("hip", "gfx942")


def test_a_variable_of_hipcc_that_changes_the_library_is_part_of_its_key(
    hip_torch: HipTorch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "operator"
    target = Target("hip", "gfx1151")
    first = built(folder, target)
    assert built(folder, target).hit
    monkeypatch.setenv("HIPFLAGS", "-ffast-math")
    other = built(folder, target)
    assert not other.hit
    assert other.build_key != first.build_key
    assert hip_torch.calls("-ffast-math", "--offload-arch=gfx1151")
