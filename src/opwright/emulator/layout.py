"""Where the emulator's C++ is, and the flags that it is compiled with."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).resolve().parent

INCLUDE = _HERE / "include"
"""First of all include folders: its headers stand in front of CUDA's, HIP's and torch's."""

OPWRIGHT_INCLUDE = _HERE.parent / "include"
"""Of the headers that kernel sources use, whatever they are compiled for."""

RUNTIME = _HERE / "runtime"

RUNTIME_SOURCES = tuple(sorted(RUNTIME.glob("*.cpp")))
"""Linked into each library; compiled with `INCLUDE` and `RUNTIME`, never with a sanitizer."""

WATCHED_FLAGS = ("-g", "-O1", "-fsanitize=thread", "-fsanitize=undefined", "-fno-sanitize=vptr")
"""For kernels whose accesses are to be watched. Not for the linker: the runtime has what they call."""

SPELLING_HEADERS = {"cuda": "opwright/emulated/as_nvcc.h", "hip": "opwright/emulated/as_hipcc.h"}
"""What ``-include`` names, for each spelling."""
