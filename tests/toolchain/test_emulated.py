"""The commands of the emulated target: the host's, but for what the emulator needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from opwright.spec.request import BuildRequest
from opwright.spec.target import Target
from opwright.toolchain import cpu, emulated
from opwright.toolchain.base import Job, Step, Tools

TOOLS = Tools(("g++",), (), "(Debian) 12.2")
OBJECT, LIBRARY = Path("/p/k.o"), Path("/p/lib.so")


def job(name: str = "op", **changes: object) -> Job:
    request = BuildRequest(name, Target("emulated", "wave64"), Path("/r"), (), **changes)  # type: ignore[arg-type]
    return Job(request, TOOLS, {}, ())


def compiled(name: str, **changes: object) -> list[str]:
    step = Step(name, Path("/r/k.cpp"), OBJECT, Path("/p/k.d"))
    return emulated.compile_command(job(**changes), step)


def test_assertions_stay_as_they_do_on_a_device() -> None:
    flags = compiled("kernel__.cpp", compile_flags=("-DNDEBUG",))
    assert flags.index("-DNDEBUG") < flags.index("-UNDEBUG")


def test_no_access_of_the_emulator_itself_is_watched() -> None:
    watched = ("-fsanitize=thread", "-g")
    assert "-fsanitize=thread" in compiled("kernel__.cpp", compile_flags=watched)
    own = compiled("emulator/launch.cpp", compile_flags=watched)
    assert "-g" in own
    assert not [flag for flag in own if "sanitize" in flag]


def test_the_emulator_becomes_an_object_that_is_linked_into_every_library() -> None:
    own = emulated.link_command(job(emulated.EMULATOR_NAME), (OBJECT,), LIBRARY)
    assert "-r" in own
    assert "-shared" not in own
    assert "-shared" in emulated.link_command(job(), (OBJECT,), LIBRARY)


def test_the_wave_size_changes_no_flag_of_the_host() -> None:
    of_wave32 = emulated.architecture(Target("emulated", "wave32"))
    assert emulated.architecture(Target("emulated", "wave64")) == of_wave32


@pytest.mark.parametrize(
    ("error", "name"),
    [
        (
            "‘cudaMemPool_t’ was not declared in this scope; did you mean ‘cudaMemcpy’?",
            "cudaMemPool_t",
        ),
        ("'hipMallocAsync' was not declared in this scope", "hipMallocAsync"),
        ("‘cudaMemPool_t’ does not name a type", "cudaMemPool_t"),
        ("'CUmodule' was not declared in this scope", ""),
        ("'cuModuleLoad' was not declared in this scope", "cuModuleLoad"),
        (
            "there are no arguments to ‘__builtin_amdgcn_s_sleep’ that depend on a template parameter",
            "__builtin_amdgcn_s_sleep",
        ),
        ("use of undeclared identifier '__builtin_amdgcn_s_sleep'", "__builtin_amdgcn_s_sleep"),
        ("unknown type name 'cudaMemPool_t'", "cudaMemPool_t"),
        (
            "'__match_all_sync' was not declared in this scope; did you mean '__match_any_sync'?",
            "__match_all_sync",
        ),
        ("‘__fadd_rz’ was not declared in this scope; did you mean ‘__fadd_rn’?", "__fadd_rz"),
        ("'this_cluster' is not a member of 'cooperative_groups'", "this_cluster"),
        ("‘BlockReduce’ is not a member of ‘cub’", "BlockReduce"),
        ("no member named 'this_cluster' in namespace 'cooperative_groups'", "this_cluster"),
        ("cuda/atomic: No such file or directory", "cuda/atomic"),
        ("cuComplex.h: No such file or directory", "cuComplex.h"),
        ("'thrust/complex.h' file not found", "thrust/complex.h"),
        ("my_header.h: No such file or directory", ""),
        ("cuda_rows.h: No such file or directory", ""),
        ("‘rows’ is not a member of ‘mine’", ""),
        ("‘customName’ was not declared in this scope", ""),
        ("‘current’ was not declared in this scope", ""),
        ("‘hips’ was not declared in this scope", ""),
        ("no match for ‘operator+’ (operand types are ‘cudaStream_t’ and ‘int’)", ""),
    ],
)
def test_names_that_only_a_real_device_knows_are_read_from_the_compilers_words(
    error: str, name: str
) -> None:
    assert emulated.not_there(error) == name
    assert cpu.not_there(error) == ""
