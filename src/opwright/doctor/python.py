"""The interpreter: is it one that Opwright runs on?"""

from __future__ import annotations

import platform
import sys
import sysconfig
from pathlib import Path

from opwright.doctor.finding import Finding

OLDEST = (3, 10)


def probe_python() -> Finding:
    """Version and place; 3.10 is the oldest."""
    version = platform.python_version()
    what = f"{version} ({platform.python_implementation()}), {sys.executable}"
    facts = {"version": version, "executable": sys.executable, "prefix": sys.prefix}
    if sys.version_info[:2] < OLDEST:
        return Finding("Python", "problem", what, "Use Python 3.10 or newer.", facts=facts)
    return Finding("Python", "ok", what, facts=facts)


def probe_headers(include: Path | None = None) -> Finding:
    """Are Python's C headers here? Generated bindings don't need them, pybind11 extensions do."""
    folder = include or Path(sysconfig.get_paths()["include"])
    if (folder / "Python.h").is_file():
        return Finding("Python headers", "ok", str(folder))
    fix = "Only pybind11 extensions need them (Debian, Ubuntu: apt-get install python3-dev)."
    return Finding("Python headers", "missing", f"{folder} has no Python.h", fix)
