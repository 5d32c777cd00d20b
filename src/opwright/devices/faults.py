"""An error that the device itself met: it comes late, and ends the use of the device in this process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

# torch >= 2.8 has a class for these; an older one raises RuntimeError with these words.
_WORDS = ("CUDA error", "HIP error", "an illegal memory access", "unspecified launch failure")


class DeviceFault(BaseException):
    """What a kernel did to the device: an illegal access, an assertion, a trap.

    No `Exception`: nobody may take it for a refusal, and go on.
    """


@contextmanager
def device_faults() -> Iterator[None]:
    """Raise `DeviceFault` in place of what torch raises for an error of the device."""
    try:
        yield
    except RuntimeError as error:
        text = str(error).partition("\n")[0]
        known = getattr(torch, "AcceleratorError", None)
        if (known is not None and isinstance(error, known)) or any(w in text for w in _WORDS):
            raise DeviceFault(text) from error
        raise
