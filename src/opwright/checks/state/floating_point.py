"""The processor's floating-point control: rounding, subnormals, traps; in this thread and torch's others."""

from __future__ import annotations

import ctypes
import platform

import torch

# Enough elements for torch to give every thread a part of them.
_ELEMENTS = 1 << 16
_ROUNDING = ("to nearest", "down", "up", "towards zero")
_FENV_BYTES = 64  # more than any fenv_t


def control_state(*, threads: bool = True) -> dict[str, str]:
    """Every setting of this thread by name; with ``threads`` what torch's threads make of numbers too.

    That starts torch's threads, and threads that run already do not follow what this one sets.
    """
    return {**_registers(), **_arithmetic(), **(_threads() if threads else {})}


def _registers() -> dict[str, str]:
    """Read from the C library's fenv_t; nothing where its layout is not known here."""
    space = (ctypes.c_ubyte * _FENV_BYTES)()
    try:
        if ctypes.CDLL("libm.so.6").fegetenv(ctypes.byref(space)):
            return {}
    except (OSError, AttributeError):
        return {}
    if platform.machine() == "x86_64":
        x87, mxcsr = _number(space, 0), _number(space, 28)
        return {
            "flush to zero": _on(mxcsr >> 15),
            "denormals are zero": _on(mxcsr >> 6),
            "rounding": _ROUNDING[mxcsr >> 13 & 3],
            "traps": f"{~mxcsr >> 7 & 0x3F:#04x}",
            "x87 rounding": _ROUNDING[x87 >> 10 & 3],
            "x87 precision": f"{x87 >> 8 & 3}",
        }
    if platform.machine() == "aarch64":
        fpcr = _number(space, 0)
        return {"flush to zero": _on(fpcr >> 24), "rounding": f"mode {fpcr >> 22 & 3}"}
    return {}


def _arithmetic() -> dict[str, str]:
    """What double arithmetic of this thread does, whatever the registers are called."""
    smallest_normal, smallest = 2.2250738585072014e-308, 5e-324
    third = 1.0 / float("3")
    return {
        "half the smallest normal number": repr(smallest_normal / float("2")),
        "twice the smallest subnormal number": repr(smallest * float("2")),
        "a third": third.hex(),
        "minus a third": (-1.0 / float("3")).hex(),
    }


def _threads() -> dict[str, str]:
    """How many elements of a tensor of subnormal numbers torch's threads make zero."""
    tiny = torch.full((_ELEMENTS,), 2.0**-130)
    lost = int((tiny * 1.5 == 0).sum())
    # 1 + 2^-24 is a tie in float32, and less than half way to the next number for 2^-25 more.
    one = torch.ones(_ELEMENTS)
    rounded_up = int((one + 2.0**-25 > 1).sum())
    return {
        "subnormal numbers in torch's threads": f"{lost} of {_ELEMENTS} lost",
        "rounding in torch's threads": f"{rounded_up} of {_ELEMENTS} rounded up",
    }


def _number(space: ctypes.Array[ctypes.c_ubyte], offset: int) -> int:
    return int.from_bytes(bytes(space[offset : offset + 4]), "little")


def _on(bits: int) -> str:
    return "on" if bits & 1 else "off"
