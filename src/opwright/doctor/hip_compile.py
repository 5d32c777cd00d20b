"""For which AMD GPUs and DCUs can kernels be compiled here, with or without a device?"""

from __future__ import annotations

from opwright.doctor.finding import Finding
from opwright.doctor.machine import Machine
from opwright.errors import OpwrightError
from opwright.toolchain import hip
from opwright.toolchain.amd_device_libraries import device_support
from opwright.toolchain.base import Tools

# What people have: CDNA and its forerunners, DCUs, RDNA; and what stands in for an unknown gfx9.
ASKED_FOR = (
    *("gfx906", "gfx908", "gfx90a", "gfx942", "gfx928", "gfx936"),
    *("gfx1030", "gfx1100", "gfx1151", "gfx9-generic"),
)
_SUBJECT = "HIP compile-only"


def probe_compilable(machine: Machine, *, quick: bool) -> Finding:
    """Ask the compiler that builds use for each architecture what it lacks; nothing is compiled."""
    if quick:
        return Finding(_SUBJECT, "not checked", "left out by --quick")
    try:
        tools = hip.find_tools(hip.find_driver(machine.environment), machine.environment)
    except OpwrightError as error:
        return Finding(_SUBJECT, "problem", error.what, error.hint)
    asked = {name: _refusal(machine, tools, name) for name in ASKED_FOR}
    refused = {name: error for name, error in asked.items() if error is not None}
    taken = [name for name in ASKED_FOR if name not in refused]
    reasons = {name: error.what for name, error in refused.items()}
    facts = {"compiler": list(tools.driver), "compiles_for": taken, "refused": reasons}
    what = "; ".join([f"compiles for {', '.join(taken) or 'nothing'}", *reasons.values()])
    if taken:
        return Finding(_SUBJECT, "ok", what, facts=facts)
    return Finding(_SUBJECT, "problem", what, refused[ASKED_FOR[0]].hint, facts=facts)


def _refusal(machine: Machine, tools: Tools, architecture: str) -> OpwrightError | None:
    try:
        device_support(tools, machine.environment, architecture, machine.root)
    except OpwrightError as error:
        return error
    return None
