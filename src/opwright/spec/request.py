"""What a build is asked for. Plain data: the build layer knows nothing of operators beyond this."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from opwright.frozen import Frozen, field
from opwright.spec.target import Target

# Suffixes of files that are included, and never compiled by themselves.
HEADER_SUFFIXES = frozenset({".h", ".hh", ".hpp", ".hxx", ".cuh", ".inc", ".inl"})


class Unit(Frozen):
    """One translation unit: a file of the user's, or generated text.

    A generated unit has ``text``; its ``name`` is a relative path such as ``binding.cpp``.
    A user's unit has ``path``; ``name`` is its path relative to ``BuildRequest.root``
    (``fwd/kernel.cpp``), so that equal file names in two folders stay apart.
    ``advice`` says what an error in a generated unit means; it decides nothing.
    """

    name: str
    text: str | None = None
    path: Path | None = None
    advice: str = ""


class BuildRequest(Frozen):
    """One shared library to build.

    ``root`` is the folder of the operator: user files below it are recorded relative to it, so that
    moving the folder keeps every hit. ``include_dirs`` are searched in order (named roots first:
    ``named_roots`` maps ``"torch"``, ``"opwright"`` ... to folders that may move with an environment).
    ``identity`` holds further facts that decide the binary (torch version and ABI, generator version).
    ``facts`` are copied to the artifact's manifest and decide nothing.
    """

    name: str
    target: Target
    root: Path
    units: tuple[Unit, ...]
    include_dirs: tuple[Path, ...] = ()
    named_roots: tuple[tuple[str, Path], ...] = ()
    defines: tuple[tuple[str, str], ...] = ()
    compile_flags: tuple[str, ...] = ()
    link_flags: tuple[str, ...] = ()
    library_dirs: tuple[Path, ...] = ()
    libraries: tuple[str, ...] = ()
    identity: tuple[tuple[str, str], ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)
    timeout_seconds: float = 1800.0
