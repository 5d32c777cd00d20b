"""The table of toolchains: to add one, write a module like ``cpu.py`` and name it here."""

from __future__ import annotations

from opwright.errors import ToolchainError
from opwright.spec.target import Target
from opwright.toolchain import cpu, cuda, emulated, hip, simulated
from opwright.toolchain.base import Toolchain

TOOLCHAINS: dict[str, Toolchain] = {
    chain.kind: chain for chain in (cpu, cuda, emulated, hip, simulated)
}


def toolchain_for(target: Target) -> Toolchain:
    """The toolchain that compiles for ``target``; raises `ToolchainError` when none does."""
    try:
        return TOOLCHAINS[target.kind]
    except KeyError:
        raise ToolchainError(
            f"no toolchain compiles for target {target}",
            hint=f"Targets that can be built: {', '.join(TOOLCHAINS)}.",
        ) from None
