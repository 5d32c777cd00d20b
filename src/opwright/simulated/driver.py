"""The device's library, as far as PyTorch does not ask it itself."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

from opwright.errors import DeviceError, LoadError
from opwright.records.artifact import Artifact


class Entry(NamedTuple):
    """A piece of work, or what the host waited for; ``stream`` is -1 where no single one was meant."""

    device: int
    stream: int
    name: str


class Stray(NamedTuple):
    """Bytes outside of a block of memory that somebody wrote.

    ``offset_bytes`` is that of the nearest one from the block's beginning: negative in front of it, from
    its size on behind it. ``changed_bytes`` is how many there are on that side.
    """

    device: int
    address: int
    size_bytes: int
    offset_bytes: int
    changed_bytes: int

    def __str__(self) -> str:
        where = (
            f"{-self.offset_bytes} bytes before the beginning"
            if self.offset_bytes < 0
            else f"{self.offset_bytes - self.size_bytes} bytes after the end"
        )
        block = f"a block of {self.size_bytes} bytes on simulated:{self.device}"
        return f"{self.changed_bytes} bytes were written {where} of {block}"


class Driver:
    """The loaded library. Raises `LoadError` where it does not load, `DeviceError` where it does not begin."""

    def __init__(self, artifact: Artifact) -> None:
        try:
            # Libraries of kernels find the device among the symbols of the whole process.
            self._library = ctypes.CDLL(str(artifact.library), mode=ctypes.RTLD_GLOBAL)
        except OSError as error:
            raise LoadError(
                f"the simulated device does not load: {error}",
                hint="Remove it from the store with `opwright cache clear`, and build it again.",
            ) from error
        for name in ("begin", "delay", "launches", "synchronizations", "strays"):
            self._function(name).restype = ctypes.c_char_p
        self._function("delay").argtypes = (ctypes.c_int, ctypes.c_int64, ctypes.c_int64)
        self._require_none(self._function("begin")())
        self._function("register_hooks")()

    @property
    def device_count(self) -> int:
        """How many devices there are."""
        return int(self._function("device_count")())

    @property
    def has_keys(self) -> bool:
        """Whether the processor gives each thread rights of its own to memory."""
        return bool(self._function("has_keys")())

    def delay(self, device: int, stream: int, microseconds: int) -> None:
        """Let a stream sleep."""
        self._require_none(self._function("delay")(device, stream, microseconds))

    def launches(self) -> list[Entry]:
        """What was put on streams since the last time."""
        return _entries(self._function("launches")())

    def synchronizations(self) -> list[Entry]:
        """What the host has waited for since the last time."""
        return _entries(self._function("synchronizations")())

    def strays(self) -> list[Stray]:
        """Writes outside of blocks since the last time."""
        text: bytes = self._function("strays")()
        return [Stray(*map(int, line.split("\t"))) for line in text.decode().splitlines()]

    def set_fresh_byte(self, byte: int) -> None:
        """The byte that memory is filled with when it is handed out."""
        self._function("set_fresh_byte")(byte)

    def _function(self, name: str) -> Any:
        # as an attribute, ctypes keeps what was set of it
        return getattr(self._library, f"opwright_simulated_{name}")

    @staticmethod
    def _require_none(problem: bytes) -> None:
        if problem:
            raise DeviceError(
                f"the simulated device: {problem.decode(errors='replace')}",
                hint="It is a part of Opwright: this may be a fault there.",
            )


_loaded: list[Driver] = []


def load(artifact: Artifact) -> None:
    """Load the device's library, once a process. Raises what `Driver` raises."""
    _loaded.append(Driver(artifact))


def driver() -> Driver:
    """The library that `load` has loaded."""
    return _loaded[0]


def _entries(text: bytes) -> list[Entry]:
    fields = (line.split("\t", 2) for line in text.decode(errors="replace").splitlines())
    return [Entry(int(device), int(stream), name) for device, stream, name in fields]
