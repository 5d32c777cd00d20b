"""The request key: everything that decides the binary and is known before the compiler runs."""

from __future__ import annotations

import json

from opwright.build.digests import Digests
from opwright.build.roots import Roots
from opwright.files import digest_text
from opwright.toolchain.base import Job, Toolchain

# Raised whenever this package compiles the same request to something else.
BUILD_FORMAT = "1"


def key_parts(job: Job, toolchain: Toolchain, roots: Roots, digests: Digests) -> dict[str, str]:
    """The named fields of the request key. None holds a path that may move, or a time."""
    request = job.request
    own = {
        "build format": BUILD_FORMAT,
        "name": request.name,
        "target": str(request.target),
        "architecture": toolchain.architecture(request.target),
        "units": " ".join(unit.name for unit in request.units),
        **{
            f"unit {unit.name}": digest_text(roots.portable(unit.text))
            for unit in request.units
            if unit.text is not None
        },
        "defines": " ".join(f"{name}={value}" for name, value in request.defines),
        "include dirs": " ".join(roots.display(str(folder)) for folder in request.include_dirs),
        "compile flags": _flags(request.compile_flags, roots),
        "library dirs": " ".join(roots.display(str(folder)) for folder in request.library_dirs),
        "libraries": " ".join(request.libraries),
        "link flags": _flags(request.link_flags, roots),
        "compiler version": job.tools.version,
        **{role: digests.of(str(path)) or "unreadable" for role, path in job.tools.programs},
        **{
            f"environment {name}": roots.portable(job.environment[name])
            for name in toolchain.environment
            if name in job.environment
        },
    }
    identity = {
        (f"identity {name}" if name in own else name): value for name, value in request.identity
    }
    return {**own, **identity}


def key_of(parts: dict[str, str]) -> str:
    """The digest of named fields, whatever their order."""
    return digest_text(json.dumps(parts, sort_keys=True))


def _flags(flags: tuple[str, ...], roots: Roots) -> str:
    # A run path is written into the binary as it is: there the absolute path does decide.
    text = " ".join(flags)
    return text if "rpath" in text else roots.portable(text)
