"""The host's compiler: found with reasons, asked who it is, and given what a request says."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from opwright.errors import ToolchainError
from opwright.spec.request import BuildRequest
from opwright.spec.target import Target
from opwright.toolchain import cpu
from opwright.toolchain.base import Job, Step, Toolchain, Tools
from opwright.toolchain.registry import TOOLCHAINS, toolchain_for

BASELINE = Target("cpu")
TOOLS = Tools(("g++",), (), "(Debian) 12.2")
STEP = Step("a/k.cpp", Path("/r/a/k.cpp"), Path("/p/k.o"), Path("/p/k.d"))


def job(
    target: Target = BASELINE, environment: dict[str, str] | None = None, **changes: object
) -> Job:
    request = BuildRequest("op", target, Path("/r"), (), **changes)  # type: ignore[arg-type]
    return Job(request, TOOLS, environment or {}, (("/r", "."),))


def test_every_module_of_the_table_has_all_that_a_toolchain_has() -> None:
    names = [name for name in vars(Toolchain) if not name.startswith("_")]
    for kind, module in TOOLCHAINS.items():
        assert module.kind == kind
        assert all(hasattr(module, name) for name in names)


@pytest.mark.parametrize("name", ["CXX", "CXXFLAGS", "LDFLAGS"])
def test_a_variable_with_an_open_quotation_is_named(name: str) -> None:
    environment = {"PATH": "/usr/bin:/bin", name: 'g++ "open'}
    with pytest.raises(
        ToolchainError, match=f"^{name} is not a list of words.*no closing quotation"
    ):
        cpu.find_driver(environment)
        cpu.compile_command(job(environment=environment), STEP)
        cpu.link_command(job(environment=environment), (), Path("/p/lib.so"))


def test_a_target_without_a_toolchain_is_refused() -> None:
    with pytest.raises(ToolchainError, match="no toolchain compiles for target npu"):
        toolchain_for(Target("npu"))


def test_the_compiler_and_the_programs_behind_it_are_found() -> None:
    tools = cpu.find_tools(cpu.find_driver({"PATH": "/usr/bin:/bin"}), {"PATH": "/usr/bin:/bin"})
    programs = dict(tools.programs)
    assert all(path.is_file() and path == path.resolve() for path in programs.values())
    assert {"compiler", "assembler", "linker"} <= set(programs)
    assert tools.version


def test_both_words_of_a_launched_compiler_count(tmp_path: Path) -> None:
    launcher = tmp_path / "launch"
    launcher.write_text('#!/bin/sh\nexec "$@"\n')
    launcher.chmod(0o755)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "CXX": "launch g++"}
    driver = cpu.find_driver(environment)
    assert driver == (str(launcher), "g++")
    programs = dict(cpu.find_tools(driver, environment).programs)
    assert programs["compiler"] == launcher
    assert programs["compiler g++"] == Path(shutil.which("g++") or "").resolve()


def test_a_compiler_that_does_not_run_is_refused_with_what_it_said(tmp_path: Path) -> None:
    broken = tmp_path / "cxx"
    broken.write_text("#!/bin/sh\necho no licence >&2\nexit 3\n")
    broken.chmod(0o755)
    with pytest.raises(ToolchainError, match=r"(?s)does not run: .*exit code 3.*no licence"):
        cpu.find_tools((str(broken),), {})


def test_a_compiler_in_a_folder_with_spaces_is_found_with_quotes_and_without(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "my tools"
    folder.mkdir()
    (folder / "g++").symlink_to(shutil.which("g++") or "")
    for text in (f"{folder / 'g++'}", f"'{folder / 'g++'}'"):
        assert cpu.find_driver({"PATH": "/bin", "CXX": text}) == (str(folder / "g++"),)
    with pytest.raises(ToolchainError) as refused:
        cpu.find_driver({"PATH": "/bin", "CXX": f"{folder / 'clang++'}"})
    assert "Quote a path with spaces" in refused.value.hint


@pytest.mark.parametrize(
    "program, why",
    [
        ("cat", r"CXX names \S*/cat, which is no C\+\+ compiler"),
        ("gcc", r"CXX names \S*/gcc, which compiles C\+\+, but links no C\+\+ library"),
    ],
)
def test_what_is_no_compiler_for_cxx_is_refused_before_it_compiles(program: str, why: str) -> None:
    environment = {**os.environ, "CXX": program}
    with pytest.raises(ToolchainError, match=why):
        cpu.find_tools(cpu.find_driver(environment), environment)


def test_gcc_that_is_told_of_the_library_will_do() -> None:
    for changed in ({"CXX": "gcc -lstdc++"}, {"CXX": "gcc", "LDFLAGS": "-lstdc++"}):
        environment = {**os.environ, **changed}
        assert cpu.find_tools(cpu.find_driver(environment), environment).version


def test_the_users_flags_come_after_ours_and_the_environments_before() -> None:
    command = cpu.compile_command(
        job(
            environment={"CXXFLAGS": "-O1 -DQ='a b'"},
            defines=(("K", "3"), ("N", "")),
            include_dirs=(Path("/r/inc"),),
            compile_flags=("-std=c++20",),
        ),
        STEP,
    )
    order = ["-std=c++17", "-O1", "-DQ=a b", "-DK=3", "-DN", "-I/r/inc", "-std=c++20", "-MD", "-c"]
    assert sorted(order, key=command.index) == order
    assert "-ffile-prefix-map=/r=." in command
    assert "-march=native" not in command


def test_an_architecture_becomes_a_flag_and_native_a_list_of_features() -> None:
    native = Target("cpu", "native")
    assert "-march=native" in cpu.compile_command(job(native), STEP)
    assert cpu.architecture(Target("cpu")) == cpu.architecture(Target("cpu"))
    assert len(cpu.architecture(native)) > len(cpu.architecture(Target("cpu"))) + 20
    assert cpu.architecture(native) == cpu.architecture(native)


def test_gcc_alone_is_told_not_to_share_statics_between_libraries() -> None:
    gcc = cpu.compile_command(job(), STEP)
    clang = cpu.compile_command(
        job()._replace(tools=TOOLS._replace(version="clang version 17")), STEP
    )
    assert "-fno-gnu-unique" in gcc
    assert "-fno-gnu-unique" not in clang
    assert "-fvisibility=hidden" in gcc
    assert "-fvisibility=hidden" in clang
