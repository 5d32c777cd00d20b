"""What the compiler gave each kernel, as a table."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from opwright.records.resources import KernelResources

_TITLES = ("kernel", "VGPR", "AGPR", "SGPR", "LDS", "scratch", "wave", "spilled")


def resources_table(kernels: Sequence[KernelResources]) -> Table:
    """One row a kernel: registers, shared and scratch memory in bytes, wave size, and what was spilled."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for title in _TITLES:
        first = title == "kernel"
        table.add_column(title, overflow="fold", justify="left" if first else "right")
    for kernel in kernels:
        table.add_row(
            Text(kernel.kernel, style="bold"),
            _count(kernel.registers),
            _count(kernel.accumulators),
            _count(kernel.scalar_registers),
            Text(f"{kernel.shared_bytes} B"),
            Text(f"{kernel.scratch_bytes} B"),
            _count(kernel.wave_size),
            Text(_spilled(kernel), style="red" if kernel.spills else ""),
        )
    return table


def _count(count: int | None) -> Text:
    return Text("" if count is None else str(count))


def _spilled(kernel: KernelResources) -> str:
    parts = (
        (kernel.spilled_registers, "VGPR"),
        (kernel.spilled_scalars, "SGPR"),
        (kernel.spilled_bytes, "B"),
    )
    return ", ".join(f"{count} {unit}" for count, unit in parts if count) or "none"
