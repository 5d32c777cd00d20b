"""What the emulator runs, in both spellings and at both wave sizes, and in every order."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from emulated.building import KERNELS, warnings_of_the_runtime

pytestmark = pytest.mark.xdist_group("emulator")  # it is compiled first


def functions_of(source: str) -> list[str]:
    return re.findall(r'extern "C" int (\w+)\(\)', (KERNELS / source).read_text())


@pytest.mark.parametrize("wave_size", [32, 64])
@pytest.mark.parametrize("function", functions_of("language.cu"))
def test_cuda_sources_give_what_a_device_gives(load, function: str, wave_size: int) -> None:
    kernels = load("language.cu", wave_size=wave_size)
    assert kernels.call(function) == 0
    assert [str(found) for found in kernels.findings() if not found.is_note] == []


@pytest.mark.parametrize("wave_size", [32, 64])
@pytest.mark.parametrize("function", functions_of("language.hip"))
def test_hip_sources_give_what_a_device_gives(load, function: str, wave_size: int) -> None:
    kernels = load("language.hip", wave_size=wave_size)
    assert kernels.call(function) == 0
    assert [str(found) for found in kernels.findings() if not found.is_note] == []


@pytest.mark.parametrize("order", ["reverse", "random:1", "random:2"])
@pytest.mark.parametrize("function", functions_of("language.cu"))
def test_correct_kernels_do_not_depend_on_the_order(load, function: str, order: str) -> None:
    assert load("language.cu").call(function, order=order) == 0


@pytest.mark.parametrize("function", functions_of("language.cu"))
def test_correct_kernels_give_no_finding_when_watched(load, function: str) -> None:
    kernels = load("language.cu", watched=True)
    assert kernels.call(function) == 0
    assert [str(found) for found in kernels.findings() if not found.is_note] == []


def test_the_compiler_has_nothing_to_say_of_the_emulator_itself(tmp_path: Path) -> None:
    assert warnings_of_the_runtime(tmp_path) == ""
