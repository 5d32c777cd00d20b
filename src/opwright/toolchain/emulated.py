"""Device sources for the host's compiler: translated, and linked with the emulator that runs them."""

from __future__ import annotations

from pathlib import Path

from opwright.frozen import replace
from opwright.spec.target import Target
from opwright.toolchain import cpu
from opwright.toolchain.base import Job, Step

kind = "emulated"

# Units whose names begin so are the emulator's own: no kernel's code, so nothing in them is watched.
RUNTIME = "emulator/"

driver_environment = cpu.driver_environment
environment = cpu.environment
traced_programs = cpu.traced_programs
find_driver = cpu.find_driver
find_tools = cpu.find_tools
preprocess_command = cpu.preprocess_command
link_command = cpu.link_command


def architecture(target: Target) -> str:
    """See `Toolchain`. The wave size is in the sources; the code runs on any machine of this kind."""
    return cpu.architecture(Target("cpu"))


def compile_command(job: Job, step: Step) -> list[str]:
    """See `Toolchain`. Assertions of device code stay, as they do on a device."""
    request = job.request
    flags = (*request.compile_flags, "-UNDEBUG")
    if step.name.startswith(RUNTIME):
        flags = tuple(flag for flag in flags if not flag.startswith("-fsanitize"))
    plain = replace(request, target=Target("cpu"), compile_flags=flags)
    return cpu.compile_command(job._replace(request=plain), step)


def runtime_sources(emulator: Path) -> dict[str, Path]:
    """The emulator's own translation units by name, below its package folder."""
    return {f"{RUNTIME}{path.name}": path for path in sorted((emulator / "runtime").glob("*.cpp"))}
