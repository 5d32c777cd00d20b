"""Load a generated library and offer its kernel to the dispatcher, until it is withdrawn."""

from __future__ import annotations

import ctypes

from opwright.errors import LoadError
from opwright.records.artifact import Artifact


class Library:
    """A loaded library. `offer` makes its kernel the one of an operator; `withdraw` takes it back.

    Raises `LoadError` when the file does not load: a half-written file, or symbols that this torch lacks.
    """

    def __init__(self, artifact: Artifact) -> None:
        self.artifact = artifact
        try:
            self._handle = ctypes.CDLL(str(artifact.library))
            self._register = self._handle.opwright_register
            self._unregister = self._handle.opwright_unregister
        except (OSError, AttributeError) as error:
            raise LoadError(
                f"{artifact.library} does not load: {error}",
                hint="It is set aside and built again; if that repeats, run 'opwright doctor'.",
            ) from error
        self._register.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
        self._register.restype = ctypes.c_void_p
        self._unregister.argtypes = [ctypes.c_void_p]
        self._unregister.restype = None
        self._names: list[bytes] = []

    def offer(self, namespace: str, dispatch_key: str) -> int:
        """Register the kernel for ``namespace::name``; returns what `withdraw` needs."""
        # The dispatcher may keep the pointer, so the text has to live as long as the library.
        self._names += [namespace.encode(), dispatch_key.encode()]
        return int(self._register(self._names[-2], self._names[-1]))

    def withdraw(self, registration: int) -> None:
        """Take a registration back."""
        self._unregister(registration)
