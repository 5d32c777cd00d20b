"""What compilers for HIP lack for an architecture: asked of made-up ones, and of the one that is here."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hip_compiler import tools
from opwright.errors import ToolchainError
from opwright.toolchain.amd_device_libraries import (
    constant_of,
    device_support,
    known_architectures,
    wave_size,
)
from opwright.toolchain.base import Tools

ENVIRONMENT = {"PATH": "/usr/bin:/bin"}


@pytest.mark.parametrize(
    "architecture, number, wave",
    [
        ("gfx906", 9006, 64),
        ("gfx90a", 9010, 64),
        ("gfx942", 9402, 64),
        ("gfx936", 9306, 64),
        ("gfx1030", 10_300, 32),
        ("gfx1100", 11_000, 32),
        ("gfx1151", 11_501, 32),
        ("gfx90a:xnack-", 9010, 64),
        ("gfx9-generic", 9000, 64),
        ("gfx9-4-generic", 9400, 64),
        ("gfx11-generic", 11_003, 32),
        ("gfx12-generic", 12_000, 32),
    ],
)
def test_the_number_of_an_architecture_and_its_wave(
    architecture: str, number: int, wave: int
) -> None:
    assert constant_of(architecture) == number
    assert wave_size(architecture) == wave


def made_up(folder: Path, said: str, knows: str = "") -> Tools:
    """A compiler that answers what is asked of it with ``said``."""
    script = folder / "hipcc"
    script.write_text(
        f'#!/bin/sh\ncase "$*" in *--print-supported-cpus*) printf "{knows}"; exit 0;; esac\n'
        f"{{ {said}; }} >&2\n"
    )
    script.chmod(0o755)
    return Tools((str(script),), (("compiler", script),), "HIP version: 6.3; g++ 12")


def root_with(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / "root" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return folder / "root"


def test_a_toolkit_that_has_everything_is_told_nothing(tmp_path: Path) -> None:
    support = device_support(made_up(tmp_path, "true"), ENVIRONMENT, "gfx90a", tmp_path)
    assert support == ((), (), None, ())


def test_what_it_does_not_know_is_refused_with_the_nearest_that_it_knows(tmp_path: Path) -> None:
    compiler = made_up(
        tmp_path, "echo error: invalid target ID", "gfx940\\ngfx1150\\ngfx9-generic\\n"
    )
    with pytest.raises(
        ToolchainError, match=r"hipcc \(HIP version: 6.3\) does not know gfx1151"
    ) as refused:
        device_support(compiler, ENVIRONMENT, "gfx1151", tmp_path)
    assert "Did you mean 'gfx1150'?" in refused.value.hint
    assert "It knows: gfx940, gfx1150, gfx9-generic." in refused.value.hint
    assert "stands in" not in refused.value.hint
    with pytest.raises(ToolchainError) as refused:
        device_support(compiler, ENVIRONMENT, "gfx936", tmp_path)
    assert "gfx9-generic stands in for a chip with waves of 64 lanes" in refused.value.hint
    assert "DTK" in refused.value.hint


def test_constants_are_made_where_the_libraries_are_older_than_the_compiler(tmp_path: Path) -> None:
    compiler = made_up(tmp_path, "echo error: cannot find ROCm device library for gfx1151")
    libraries = "usr/lib/x86_64-linux-gnu/amdgcn/bitcode"
    root = root_with(tmp_path, f"{libraries}/ocml.bc")
    support = device_support(compiler, ENVIRONMENT, "gfx1151", root)
    assert dict(support.constants) == {"__oclc_ISA_version": 11_501, "__oclc_ABI_version": 400}
    assert support.flags == ("-mcode-object-version=4",)
    assert support.folder == root / libraries
    assert "oclc_wavefrontsize64_off.bc" in support.libraries
    root_with(tmp_path, f"{libraries}/oclc_abi_version_500.bc")
    newer = device_support(compiler, ENVIRONMENT, "gfx942", root)
    assert newer.flags == ("-mcode-object-version=5",)
    assert dict(newer.constants)["__oclc_ABI_version"] == 500
    assert "oclc_wavefrontsize64_on.bc" in newer.libraries


@pytest.mark.parametrize(
    "said, why",
    [
        ("cannot find ROCm device library", "no device library (ocml.bc) for gfx942"),
        ("cannot find HIP runtime", "no hip/hip_runtime.h"),
        ("error: no space left", "does not compile for gfx942: error: no space left"),
    ],
)
def test_what_is_not_installed_is_named_with_what_to_install(
    tmp_path: Path, said: str, why: str
) -> None:
    with pytest.raises(ToolchainError) as refused:
        device_support(made_up(tmp_path, f"echo '{said}'"), ENVIRONMENT, "gfx942", tmp_path)
    assert why in refused.value.what
    assert "rocm-device-libs" in refused.value.hint


@pytest.mark.parametrize("architecture", ["gfx906", "gfx90a", "gfx942", "gfx1100", "gfx1151"])
def test_the_compiler_here_gets_all_that_it_needs(architecture: str) -> None:
    here = tools()
    assert architecture in known_architectures(here, os.environ)
    support = device_support(here, os.environ, architecture)
    assert bool(support.constants) == bool(support.libraries)


def test_the_compiler_here_does_not_know_a_chip_that_is_none() -> None:
    with pytest.raises(ToolchainError, match="does not know gfx9ff"):
        device_support(tools(), os.environ, "gfx9ff")
