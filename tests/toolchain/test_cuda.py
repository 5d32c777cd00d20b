"""The commands for CUDA: device code for nvcc, the rest for the host's compiler, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import cuda_compiler
from opwright.errors import ToolchainError
from opwright.frozen import replace
from opwright.spec.request import BuildRequest
from opwright.spec.target import Target, parse_target
from opwright.toolchain import cuda
from opwright.toolchain.base import Job, Step, Tools
from opwright.toolchain.torch_facts import torch_facts

NVCC, HOST = "/opt/cuda/bin/nvcc", "/usr/bin/g++"
OBJECT, LIBRARY = Path("/p/k.o"), Path("/p/lib.so")


def job(target: str = "cuda:sm_90", **changes: object) -> Job:
    request = BuildRequest("op", parse_target(target), Path("/r"), (), **changes)  # type: ignore[arg-type]
    programs = (("nvcc", Path(NVCC)), ("host compiler", Path(HOST)))
    return Job(request, Tools((NVCC,), programs, "v"), {}, (("/r", "."),))


def compiled(name: str, target: str = "cuda:sm_90", **changes: object) -> list[str]:
    step = Step(name, Path("/r") / name, OBJECT, Path("/p/k.d"))
    return cuda.compile_command(job(target, **changes), step)


def linked(**changes: object) -> list[str]:
    return cuda.link_command(job(**changes), (OBJECT,), LIBRARY)


def toolkit(folder: Path, *, version: int = 13000, newest_gcc: int = 15) -> Path:
    """A folder that looks like a toolkit."""
    (folder / "bin").mkdir(parents=True)
    (folder / "include" / "crt").mkdir(parents=True)
    (folder / "bin" / "nvcc").write_text("")
    (folder / "include" / "cuda.h").write_text(f"#define CUDA_VERSION {version}\n")
    text = f"#error -- unsupported GNU version! gcc versions later than {newest_gcc} are not supported!\n"
    (folder / "include" / "crt" / "host_config.h").write_text(text)
    return folder


def test_device_code_is_compiled_for_its_architecture_and_as_ptx_for_later_ones() -> None:
    for name in ("kernel__.cu", "more.hip"):
        command = compiled(name)
        assert command[:4] == [NVCC, f"-ccbin={HOST}", "-x", "cu"]
        assert "-gencode=arch=compute_90,code=sm_90" in command
        assert "-gencode=arch=compute_90,code=compute_90" in command
        assert command[command.index("-MF") + 1] == "/p/k.d"


def test_several_architectures_get_code_each_and_the_last_one_ptx() -> None:
    command = compiled("k.cu", "cuda:sm_80,sm_90")
    assert [word for word in command if word.startswith("-gencode")] == [
        "-gencode=arch=compute_80,code=sm_80",
        "-gencode=arch=compute_90,code=sm_90",
        "-gencode=arch=compute_90,code=compute_90",
    ]


def test_code_for_one_chips_own_instructions_has_no_ptx() -> None:
    command = compiled("k.cu", "cuda:sm_90a")
    assert [word for word in command if word.startswith("-gencode")] == [
        "-gencode=arch=compute_90a,code=sm_90a"
    ]


def test_what_is_no_device_code_is_the_host_compilers_alone() -> None:
    command = compiled(
        "binding__.cpp", compile_flags=("-lineinfo", "--use_fast_math", "-O3", "-Wall")
    )
    assert command[0] == HOST
    assert "-Wall" in command
    assert "-O3" in command
    assert not [w for w in command if w.startswith(("-gencode", "-lineinfo", "--use"))]
    assert "-I/opt/cuda/include" in command


def test_flags_of_the_host_compiler_are_passed_through_nvcc() -> None:
    command = compiled("k.cu", compile_flags=("-O3", "-Wall", "-fno-math-errno", "--use_fast_math"))
    assert {"-O3", "--use_fast_math", "-Xcompiler=-Wall", "-Xcompiler=-fno-math-errno"} <= set(
        command
    )
    assert "-Wall" not in command


def test_the_runtime_is_linked_in_unless_torchs_own_library_shares_it() -> None:
    assert "-lcudart_static" in linked()
    assert "-lcudart" not in linked()
    beside_torch = linked(libraries=("c10_cuda", "torch_cuda"))
    assert "-lcudart" in beside_torch
    assert "-lcudart_static" not in beside_torch


def test_hip_source_is_told_that_it_is_hip_and_an_extension_is_not() -> None:
    over_cuda = (("OPWRIGHT_HIP_OVER_CUDA", "1"),)
    assert "-D__HIPCC__=1" in compiled("k.cu", "cuda:sm_90/hip", defines=over_cuda)
    assert "-D__HIPCC__=1" not in compiled("k.cu", "cuda:sm_90/hip")


def test_a_variable_that_names_no_toolkit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match=r"CUDA_HOME names .*, which has no bin/nvcc"):
        cuda.find_nvcc({"CUDA_HOME": str(tmp_path), "PATH": ""})


def test_the_named_toolkit_comes_before_the_one_on_path_and_a_script_is_followed(
    tmp_path: Path,
) -> None:
    named, other = toolkit(tmp_path / "named"), toolkit(tmp_path / "other")
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    script = scripts / "nvcc"
    script.write_text(f'#!/bin/sh\nexec {other}/bin/nvcc "$@"\n')
    script.chmod(0o755)
    found = cuda.find_nvcc({"CUDA_HOME": str(named), "PATH": str(scripts)})
    assert found[:2] == [named / "bin" / "nvcc", other / "bin" / "nvcc"]


def test_of_several_toolkits_the_one_of_torchs_cuda_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older, fitting = toolkit(tmp_path / "12", version=12060), toolkit(tmp_path / "13")
    monkeypatch.setattr(cuda, "find_nvcc", lambda _: [older / "bin/nvcc", fitting / "bin/nvcc"])
    monkeypatch.setattr(cuda, "torch_facts", lambda: replace(torch_facts(), cuda="13.0"))
    assert cuda.find_driver({}) == (str(fitting / "bin/nvcc"),)


def test_a_toolkit_of_another_major_number_is_refused_with_both_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = toolkit(tmp_path / "12", version=12060)
    monkeypatch.setattr(cuda, "find_nvcc", lambda _: [older / "bin/nvcc"])
    monkeypatch.setattr(cuda, "torch_facts", lambda: replace(torch_facts(), cuda="13.0"))
    with pytest.raises(
        ToolchainError, match=r"torch is built with CUDA 13\.0.*CUDA 12\.6"
    ) as caught:
        cuda.find_driver({})
    assert "nvidia-cuda-nvcc==13.*" in caught.value.hint


def test_a_host_compiler_that_is_too_new_is_refused_with_the_newest_that_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nvcc = toolkit(tmp_path / "old", newest_gcc=9) / "bin" / "nvcc"
    nvcc.write_text("#!/bin/sh\necho 'release 11.0, V11.0'\n")
    nvcc.chmod(0o755)
    with pytest.raises(
        ToolchainError, match=r"takes no host compiler newer than g\+\+-9"
    ) as caught:
        cuda.find_tools((str(nvcc),), {"PATH": "/usr/bin:/bin", "NVCC_CCBIN": "g++"})
    assert caught.value.hint == "Install g++-9, and name it: NVCC_CCBIN=g++-9."


def test_nothing_is_found_where_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda, "_usual_places", lambda _: iter(()))
    with pytest.raises(ToolchainError, match="no nvcc"):
        cuda.find_driver({"PATH": ""})


def test_the_programs_that_decide_the_binary_are_named() -> None:
    tools = cuda_compiler.tools()
    assert {"nvcc", "host compiler", "cudafe++", "ptxas", "cicc", "cc1plus"} <= dict(
        tools.programs
    ).keys()
    assert tools.version.startswith("nvcc release ")
    assert cuda.architecture(Target("cuda", "sm_90")) == "sm_90"
