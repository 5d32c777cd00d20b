"""The libraries that a process with instrumented code in it has to start with."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from opwright.process import run_command
from opwright.spec.target import HOST
from opwright.toolchain.registry import toolchain_for

_PROBE_SECONDS = 60.0


def sanitizer_libraries() -> list[Path]:
    """AddressSanitizer's library, as the C++ compiler names it, and what it needs; empty without one."""
    environment = dict(os.environ)
    driver = toolchain_for(HOST).find_driver(environment)

    def found(name: str) -> Path | None:
        asked = [*driver, f"-print-file-name={name}"]
        said = run_command(asked, env=environment, timeout_seconds=_PROBE_SECONDS)
        path = Path(said.stdout.strip())
        return path.resolve() if said.ok and path.is_absolute() and path.is_file() else None

    runtime = found("libasan.so") or found(f"libclang_rt.asan-{platform.machine()}.so")
    # It looks for __cxa_throw when it starts, long before torch brings the C++ library.
    cxx = found("libstdc++.so.6")
    return [path for path in (runtime, cxx) if path is not None] if runtime else []
