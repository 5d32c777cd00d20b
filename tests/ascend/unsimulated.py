"""What the simulated runtime has not: stubs, so that torch-npu's libraries can be loaded.

A C function returns an error. A C++ one, whose result nobody could make up, ends the process by its name.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

# Whose functions these are: the runtime, its profiler, collective communication, and the graph engine.
_OURS = re.compile(
    r"(acl|rt|Hccl|Msprof|Mspti|ge)[A-Z]\w+|acl(rt|op|mdl|tdt|prof|sk)\w+|\w+_s|_ZN\w*2ge\w+"
)
_NOT_SIMULATED = 207000

_C_STUB = """int {name}(void) {{
  fprintf(stderr, "simulated device: {name} is not simulated\\n");
  return {code};
}}
"""
_CPP_STUB = """void {name}(void) {{
  fprintf(stderr, "simulated device: {name} is not simulated\\n");
  abort();
}}
"""


def symbols(library: Path, *, defined: bool) -> set[str]:
    """Names that a shared library has, or that it needs from others."""
    kind = "--defined-only" if defined else "--undefined-only"
    run = subprocess.run(
        ["nm", "-D", kind, "--format=posix", str(library)],
        capture_output=True,
        text=True,
        check=True,
    )
    return {line.split()[0].partition("@")[0] for line in run.stdout.splitlines() if line}


def missing(needing: Iterable[Path], having: Iterable[Path]) -> list[str]:
    """What libraries need of Ascend's software and nobody has."""
    wanted: set[str] = set()
    for library in needing:
        wanted |= {name for name in symbols(library, defined=False) if _OURS.fullmatch(name)}
    for library in (*needing, *having):
        wanted -= symbols(library, defined=True)
    return sorted(wanted)


def stubs(names: Iterable[str]) -> str:
    """C source that defines all of them."""
    parts = ["#include <stdio.h>\n#include <stdlib.h>\n"]
    for name in names:
        stub = _CPP_STUB if name.startswith("_Z") else _C_STUB
        parts.append(stub.format(name=name, code=_NOT_SIMULATED))
    return "".join(parts)
