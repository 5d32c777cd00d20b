"""The whole way to a library for HIP beside a torch that says it is built for it, by the real compiler.

What is made up: what torch says of itself and of its device, and a ROCm whose hipcc writes down how it
is called and hands over to the clang++ that is here. Nothing runs on a device.
"""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

import hip_compiler
from operator_folder import read_operator
from opwright.build.builder import build
from opwright.errors import ToolchainError
from opwright.frozen import replace
from opwright.generate.stand_in import stand_in_request
from opwright.records.artifact import Artifact
from opwright.session.architecture import with_architecture
from opwright.session.building import build_operator
from opwright.spec.target import Target
from opwright.toolchain.code_object import kernel_resources
from opwright.toolchain.torch_facts import torch_facts

HIP = "6.3.42134"
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
        self.root, self.operator = folder / "torch", folder / "operator"

    def install(self, patch: pytest.MonkeyPatch) -> None:
        """Make the folder, and torch say what it would say of itself and its device."""
        hipcc = self.rocm / "bin" / "hipcc"
        hipcc.parent.mkdir(parents=True)
        log = shlex.quote(str(self.log))
        hipcc.write_text(HIPCC.format(log=log, clang=hip_compiler.tools().driver[0]))
        hipcc.chmod(0o755)
        patch.setenv("ROCM_HOME", str(self.rocm))
        (self.root / "lib").mkdir(parents=True)
        stand_in = build(stand_in_request(Target("hip", "gfx1151"))).library
        for library in (stand_in, *torch_facts().library_dir.glob("lib*.so*")):
            (self.root / "lib" / library.name).symlink_to(library)
        facts = replace(torch_facts(), root=self.root, version="2.13.0+rocm6.3", hip=HIP)
        patch.setattr("opwright.toolchain.torch_facts.torch_facts", lambda: facts)
        properties = SimpleNamespace(gcnArchName="gfx90a:sramecc+:xnack-", warp_size=64)
        patch.setattr(torch.version, "hip", HIP)
        patch.setattr(torch.cuda, "is_available", lambda: True)
        patch.setattr(torch.cuda, "current_device", lambda: 0)
        patch.setattr(torch.cuda, "get_device_properties", lambda _: properties)

    def built(self) -> Artifact:
        """The operator's library for gfx1151."""
        artifact = build_operator(read_operator(self.operator).spec, Target("hip", "gfx1151"))
        assert artifact is not None
        return artifact

    def calls(self, *words: str) -> list[list[str]]:
        """How hipcc was called, where all of ``words`` stood in the call and it was to do something."""
        lines = [line.split() for line in self.log.read_text().splitlines()]
        return [line for line in lines if set(words) <= set(line) and "-###" not in line]

    def sources(self) -> dict[str, bytes]:
        """What is in the operator's folder."""
        found = (path for path in self.operator.iterdir() if path.is_file())
        return {path.name: path.read_bytes() for path in found}


@pytest.fixture(scope="module")
def hip_torch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HipTorch]:
    made = HipTorch(tmp_path_factory.mktemp("hip"))
    hip_compiler.write_kernel(made.operator)
    with pytest.MonkeyPatch.context() as patch:
        made.install(patch)
        yield made


@pytest.fixture(scope="module")
def library(hip_torch: HipTorch) -> Path:
    before = hip_torch.sources()
    made = hip_torch.built()
    assert (made.target, made.hit) == ("hip:gfx1151", False)
    assert hip_torch.sources() == before, (
        "sources are never rewritten, nor copied beside themselves"
    )
    return made.library


def test_a_library_for_hip_is_bound_by_the_names_of_torch_for_hip(
    library: Path, hip_torch: HipTorch
) -> None:
    (kernel,) = kernel_resources(library)
    assert (kernel.architecture, kernel.wave_size) == ("gfx1151", 32)
    command = ["readelf", "-dW", "--dyn-syms", library]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for needed in ("libtorch_hip.so", "libtorch_cpu.so", "libamdhip64.so"):
        assert f"[{needed}" in said
    for name in ("aoti_torch_get_current_cuda_stream", "hipLaunchKernel"):
        assert [line for line in said.splitlines() if "UND" in line and name in line]
    assert [line for line in said.splitlines() if "UND" not in line and "opwright_register" in line]
    assert str(hip_torch.operator).encode() not in library.read_bytes()


@pytest.mark.usefixtures("library")
def test_hipcc_gets_device_code_and_the_link_and_always_knows_its_platform(
    hip_torch: HipTorch,
) -> None:
    assert len(hip_torch.calls()) == len(hip_torch.calls("HIP_PLATFORM=amd"))
    (compile_,) = hip_torch.calls("-c", "hip")
    assert {"--offload-arch=gfx1151", "-std=c++17", "-fPIC", "-O3"} <= set(compile_)
    assert compile_[compile_.index("-c") + 1].endswith("generated/kernel__.hip")
    (link,) = hip_torch.calls("-shared")
    assert {"-ltorch_hip", "-ltorch_cpu", "-lc10", "-Wl,-z,defs"} <= set(link)
    assert f"-L{hip_torch.root}/lib" in link
    assert not [call for call in hip_torch.calls("-c") if call[-3].endswith("binding__.cpp")]


@pytest.mark.usefixtures("hip_torch")
def test_the_architecture_is_the_devices_and_without_one_the_environments(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYTORCH_ROCM_ARCH", "gfx942")
    assert with_architecture(Target("hip")) == Target("hip", "gfx90a")
    assert with_architecture(Target("hip", "gfx906")) == Target("hip", "gfx906")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert with_architecture(Target("hip")) == Target("hip", "gfx942")
    monkeypatch.setenv("PYTORCH_ROCM_ARCH", "gfx942;gfx90a")
    with pytest.raises(
        ToolchainError, match="names gfx942, gfx90a, and a library is built for one"
    ):
        with_architecture(Target("hip"))
    monkeypatch.delenv("PYTORCH_ROCM_ARCH")
    with pytest.raises(ToolchainError, match="PYTORCH_ROCM_ARCH is not set"):
        with_architecture(Target("hip"))


def test_a_variable_that_changes_the_library_is_part_of_its_key(
    library: Path, hip_torch: HipTorch, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert hip_torch.built().hit
    monkeypatch.setenv("HIPFLAGS", "-ffast-math")
    other = hip_torch.built()
    assert not other.hit
    assert other.library != library
    assert hip_torch.calls("-ffast-math", "--offload-arch=gfx1151")
