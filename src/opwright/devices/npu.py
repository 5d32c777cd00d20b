"""Ascend devices, as far as their runtime says what they are."""

from __future__ import annotations

import ctypes

_RUNTIME = "libascendcl.so"
_ONLY_SIMULATED = "opwright_simulated_launch"  # no real runtime runs functions of the host


def runtime_is_simulated() -> bool:
    """Whether the Ascend runtime here only simulates a device; False also where there is no runtime."""
    try:
        runtime = ctypes.CDLL(_RUNTIME)
    except OSError:
        return False
    return hasattr(runtime, _ONLY_SIMULATED)
