"""Device sources for the host's compiler: translated, and linked with the emulator that runs them."""

from __future__ import annotations

import re
from pathlib import Path

from opwright.frozen import replace
from opwright.spec.target import Target
from opwright.toolchain import cpu
from opwright.toolchain.base import Job, Step

kind = "emulated"

EMULATOR_NAME = "opwright_emulator"
# Units whose names begin so are the emulator's own: no kernel's code, so nothing in them is watched.
OWN_UNITS = "emulator/"

# What the vendors' headers and compilers have, and in which words gcc and clang miss it. Names that begin with
# two underscores are theirs: no program may have such names of its own.
_VENDORS = r"(?:(?:cuda|hip|cu)[A-Z]\w+|__[a-z]\w+)"
_HEADERS = (
    r"(?:(?:cub|cuda|cooperative_groups|hip|hipcub|hiprand|nv|rocprim|rocwmma|thrust)/[\w/.]+"
    r"|cuComplex\.h|cu(?:blas|dnn|fft|rand|solver|sparse)\w*\.h)"
)
_THEIR_NAMESPACES = r"(?:cooperative_groups|cub|cuda|nvcuda|thrust)(?:::\w+)*"
_MISSED = re.compile(
    rf"[‘'](?P<name>{_VENDORS})[’'] (?:was not declared|does not name a type|has not been declared)"
    rf"|no arguments to [‘'](?P<called>{_VENDORS})[’'] that depend"
    rf"|(?:undeclared identifier|unknown type name) '(?P<unknown>{_VENDORS})'"
    rf"|(?P<header>{_HEADERS}): No such file or directory"
    rf"|'(?P<file>{_HEADERS})' file not found"
    rf"|[‘'](?P<member>\w+)[’'] is not a member of [‘']{_THEIR_NAMESPACES}[’']"
    rf"|no (?:member|type|template) named '(?P<inside>\w+)' in namespace '{_THEIR_NAMESPACES}'"
)

driver_environment = cpu.driver_environment
driver_names = cpu.driver_names
environment = cpu.environment
traced_programs = cpu.traced_programs
find_driver = cpu.find_driver
find_tools = cpu.find_tools
preprocess_command = cpu.preprocess_command


def architecture(target: Target) -> str:
    """See `Toolchain`. The wave size is in the sources; the code runs on any machine of this kind."""
    return cpu.architecture(Target("cpu"))


def compile_command(job: Job, step: Step) -> list[str]:
    """See `Toolchain`. Assertions of device code stay, as they do on a device."""
    request = job.request
    flags = (*request.compile_flags, "-UNDEBUG")
    if step.name.startswith(OWN_UNITS):
        flags = tuple(flag for flag in flags if not flag.startswith("-fsanitize"))
    plain = replace(request, target=Target("cpu"), compile_flags=flags)
    return cpu.compile_command(job._replace(request=plain), step)


def not_there(error: str) -> str:
    """See `Toolchain`. The emulator has a part of what the vendors' headers declare."""
    found = _MISSED.search(error)
    return next(filter(None, found.groups())) if found else ""


def link_command(job: Job, objects: tuple[Path, ...], output: Path) -> list[str]:
    """See `Toolchain`. The emulator becomes one object, which is linked into each operator's library.

    So an operator's library needs no other, and what its kernels do is noted in no other's memory.
    """
    if job.request.name == EMULATOR_NAME:
        return [*job.tools.driver, "-r", "-nostdlib", *map(str, objects), "-o", str(output)]
    return cpu.link_command(job, objects, output)
