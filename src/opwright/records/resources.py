"""What a device compiler gave each kernel: registers, shared memory, scratch memory, spills."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class KernelResources:
    """One kernel for one architecture, as the compiler wrote it down in the binary.

    ``registers`` are each thread's, ``accumulators`` those of matrix units, ``scalar_registers``
    each wave's. ``shared_bytes`` are static (LDS), ``scratch_bytes`` each thread's own memory. Spills
    are told in registers by AMD's compilers, in bytes by NVIDIA's. None stands for what this kind of
    device does not have, or does not say.
    """

    kernel: str
    architecture: str
    registers: int
    shared_bytes: int
    scratch_bytes: int
    wave_size: int
    scalar_registers: int | None = None
    accumulators: int | None = None
    spilled_registers: int | None = None
    spilled_scalars: int | None = None
    spilled_bytes: int | None = None
    most_threads: int | None = None

    @property
    def spills(self) -> bool:
        """Whether values did not fit into registers."""
        counts = (
            self.spilled_registers,
            self.spilled_scalars,
            self.spilled_bytes,
        )
        return any(counts)


def resources_to_json(resources: KernelResources) -> dict[str, Any]:
    """Plain data; what a device does not have is left out."""
    return {name: value for name, value in asdict(resources).items() if value is not None}
