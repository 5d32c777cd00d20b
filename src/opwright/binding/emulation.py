"""The emulator that runs an operator's device code in this process: what it is asked, and what it says."""

from __future__ import annotations

import ctypes
import json
from typing import Any

from opwright.records.artifact import Artifact


class Emulation:
    """The emulator inside the library of ``artifact``, which is loaded. It knows that library's kernels."""

    def __init__(self, artifact: Artifact) -> None:
        self._library = ctypes.CDLL(str(artifact.library))
        for name in ("findings", "kernels"):
            self._function(name).restype = ctypes.c_char_p
        self._function("region").argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p)

    def set(self, option: str, value: str) -> None:
        """Set an option of ``control.h``, such as ``order`` to ``random:7``; `ValueError` for another."""
        if self._function("set")(option.encode(), value.encode()):
            raise ValueError(f"the emulator has no option {option!r} with value {value!r}")

    def region(self, address: int, size_bytes: int, name: str) -> None:
        """Name memory that kernels may access."""
        self._function("region")(address, size_bytes, name.encode())

    def finish(self) -> None:
        """End an operator's call: a launch error that it did not ask for is a finding."""
        self._function("finish")()

    def findings(self) -> list[dict[str, Any]]:
        """What was found since the last `reset`."""
        return _lines(self._function("findings")())

    def kernels(self) -> list[dict[str, Any]]:
        """What ran since the last `reset`, one entry a kernel."""
        return _lines(self._function("kernels")())

    def reset(self) -> None:
        """Forget findings, kernels and regions."""
        self._function("reset")()

    def _function(self, name: str) -> Any:
        # as an attribute, ctypes keeps what was set of it
        return getattr(self._library, f"opwright_emulated_{name}")


def _lines(text: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.decode(errors="replace").splitlines() if line]
