"""The commands for HIP: device code for its compiler, the rest for the host's, and what each is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from opwright.errors import ToolchainError
from opwright.spec.request import BuildRequest
from opwright.spec.target import Target
from opwright.toolchain import hip
from opwright.toolchain.base import Job, Step, Tools

CLANG, HIPCC = "/usr/bin/clang++-19", "/opt/rocm/bin/hipcc"
OBJECT, LIBRARY = Path("/p/k.o"), Path("/p/lib.so")


def job(driver: str = CLANG, environment: dict[str, str] | None = None, **changes: object) -> Job:
    target = Target("hip", "gfx1151")
    request = BuildRequest("op", target, Path("/r"), (), **changes)  # type: ignore[arg-type]
    programs = (
        ("compiler", Path(driver)),
        ("host", Path("/usr/bin/g++")),
        ("clang", Path("/opt/rocm/llvm/bin/clang++")),
        ("HIP runtime", Path("/opt/rocm/lib/libamdhip64.so")),
    )
    return Job(request, Tools((driver,), programs, "v"), environment or {}, (("/r", "."),))


def compiled(name: str, driver: str = CLANG, **changes: object) -> list[str]:
    step = Step(name, Path("/r") / name, OBJECT, Path("/p/k.d"))
    return hip.compile_command(job(driver, **changes), step)


def test_device_code_is_compiled_as_hip_for_the_architecture() -> None:
    for name in ("kernel__.hip", "more.cu"):
        command = compiled(name, compile_flags=("-O3",))
        assert command[0] == CLANG
        assert command[1:4] == ["-x", "hip", "--offload-arch=gfx1151"]
        assert {"-O3", "-fPIC", "-std=c++17", "-ffile-prefix-map=/r=."} <= set(command)
        assert command[command.index("-MF") + 1] == "/p/k.d"


def test_a_source_of_cudas_gets_the_header_that_nvcc_includes_by_itself() -> None:
    command = compiled("more.cu")
    assert command[command.index("-include") + 1] == "hip/hip_runtime.h"
    assert "-include" not in compiled("kernel__.hip")


def test_the_name_of_a_unit_in_the_binary_follows_from_no_absolute_path() -> None:
    (here,) = (word for word in compiled("a/k.hip") if word.startswith("-cuid="))
    moved = hip.compile_command(job(), Step("a/k.hip", Path("/elsewhere/k.hip"), OBJECT, LIBRARY))
    assert here in moved
    assert here not in compiled("b/k.hip")


def test_hipcc_is_told_that_it_compiles_for_amd_whatever_else_is_on_path() -> None:
    assert compiled("k.hip", HIPCC)[:3] == ["env", "HIP_PLATFORM=amd", HIPCC]
    link = hip.link_command(job(HIPCC), (OBJECT,), LIBRARY)
    assert link[:3] == ["env", "HIP_PLATFORM=amd", HIPCC]


def test_the_rest_is_the_host_compilers_and_gets_no_flag_of_clangs() -> None:
    flags = (
        *("--rocm-path=/usr", "--hip-device-lib=ocml.bc", "--hip-device-lib-path=/x"),
        *("-mcode-object-version=5", "-fgpu-rdc", "-O3", "-fopenmp"),
    )
    command = compiled("binding__.cpp", compile_flags=flags)
    assert command[0] == "/usr/bin/g++"
    assert "-O3" in command
    assert "-fopenmp" in command
    assert not [word for word in command if "rocm" in word or "hip" in word or "gpu" in word]
    assert "-mcode-object-version=5" not in command
    assert "-march=gfx1151" not in command


def test_device_code_knows_no_openmp_of_the_binding() -> None:
    assert "-fopenmp" not in compiled("k.hip", compile_flags=("-fopenmp", "-O3"))


def test_flags_for_one_language_reach_no_other() -> None:
    environment = {"HIPFLAGS": "-ffast-math", "CXXFLAGS": "-march=native", "CPPFLAGS": "-DBOTH"}
    device = compiled("k.hip", environment=environment)
    host = compiled("k.cpp", environment=environment)
    assert "-DBOTH" in device
    assert "-DBOTH" in host
    assert "-ffast-math" in device
    assert "-ffast-math" not in host
    assert "-march=native" in host
    assert "-march=native" not in device


def test_clang_is_told_of_the_runtime_that_hipcc_knows_itself() -> None:
    with_clang = hip.link_command(job(libraries=("c10",)), (OBJECT,), LIBRARY)
    assert "-lamdhip64" in with_clang
    assert "-L/opt/rocm/lib" in with_clang
    assert with_clang.index("-lc10") < with_clang.index("-lamdhip64")
    assert "-lamdhip64" not in hip.link_command(job(HIPCC), (OBJECT,), LIBRARY)


def test_preprocessing_writes_what_both_sides_see() -> None:
    step = Step("k.hip", Path("/r/k.hip"), OBJECT, Path("/p/k.d"))
    command = hip.preprocess_command(job(), step)
    assert "-E" in command
    assert "-c" not in command
    assert "--offload-arch=gfx1151" in command


def script(path: Path, body: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def test_what_is_behind_hipcc_counts_as_well_and_the_folder_that_it_is_in_does_not(
    tmp_path: Path,
) -> None:
    llvm = tmp_path / "llvm" / "bin"
    clang, lld = script(llvm / "clang", ":"), script(llvm / "lld", ":")
    hipcc = script(
        tmp_path / "bin" / "hipcc",
        '[ "$HIP_PLATFORM" = amd ] || exit 1\n'
        f'case $1 in -print-prog-name=*) echo "{llvm}/${{1#*=}}"; exit;; esac\n'
        'echo "HIP version: 6.3.42134"; echo "AMD clang version 18.0.0git"\n'
        f'echo "InstalledDir: {llvm}"',
    )
    runtime = tmp_path / "lib" / "libamdhip64.so"
    runtime.parent.mkdir()
    runtime.touch()
    tools = hip.find_tools((str(hipcc),), {"PATH": "/usr/bin:/bin"})
    programs = dict(tools.programs)
    assert (programs["clang"], programs["lld"]) == (clang, lld)
    assert programs["HIP runtime"] == runtime
    assert programs["host"].name in ("c++", "g++", "clang++")
    assert tools.version.startswith("HIP version: 6.3.42134; AMD clang version 18.0.0git; ")
    assert str(tmp_path) not in tools.version


def test_a_compiler_that_does_not_run_is_refused_with_what_it_said(tmp_path: Path) -> None:
    broken = script(tmp_path / "hipcc", "echo no perl here >&2; exit 2")
    with pytest.raises(ToolchainError, match=r"(?s)does not run.*no perl here"):
        hip.find_tools((str(broken),), {"PATH": "/usr/bin:/bin"})
