"""The table of what kernels take."""

from __future__ import annotations

import io

from rich.console import Console

from opwright.records.resources import KernelResources, resources_to_json
from opwright.report.resources import resources_table

CALM = KernelResources(
    kernel="ns::each<float>",
    architecture="gfx1151",
    registers=12,
    shared_bytes=1024,
    scratch_bytes=0,
    wave_size=32,
    scalar_registers=18,
    spilled_registers=0,
    spilled_scalars=0,
)
AMD = KernelResources("f", "gfx942", 256, 0, 128, 64, 102, 256, 7, 2)
NVIDIA = KernelResources("g", "sm_90", 255, 0, 64, 32, spilled_bytes=48)


def shown(*kernels: KernelResources) -> list[list[str]]:
    console = Console(file=io.StringIO(), width=160)
    console.print(resources_table(kernels))
    output = console.file
    assert isinstance(output, io.StringIO)
    rows = (line.split("  ") for line in output.getvalue().splitlines())
    return [[cell.strip() for cell in row if cell.strip()] for row in rows]


def test_each_kernel_is_a_row() -> None:
    (_, row) = shown(CALM)
    assert row == ["ns::each<float>", "12", "18", "1024 B", "0 B", "32", "none"]


def test_what_is_spilled_is_told_in_the_unit_of_its_compiler() -> None:
    _, amd, nvidia = shown(AMD, NVIDIA)
    assert "7 VGPR, 2 SGPR" in amd
    assert "48 B" in nvidia
    assert (CALM.spills, AMD.spills, NVIDIA.spills) == (False, True, True)


def test_what_a_device_does_not_have_is_not_in_its_json() -> None:
    plain = resources_to_json(NVIDIA)
    assert plain["spilled_bytes"] == 48
    assert "accumulators" not in plain
