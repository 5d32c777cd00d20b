"""Accesses to guarded memory, caught as they happen; the program goes on as if the memory were there."""

from __future__ import annotations

import ctypes
import os
import platform
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from opwright.watch.guard_pages import Block

_SA_SIGINFO, _SA_NODEFER = 4, 0x40000000
_ADDRESS_OFFSET = 16  # of si_addr in siginfo_t, on Linux with 64 bits
# Of the page fault's error code in ucontext_t; bit 1 says that it was a write. x86-64 only.
_ERROR_CODE_OFFSET = 40 + 19 * 8
_MAX_FAULTS = 4096

_Handler = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


class _SigAction(ctypes.Structure):
    """``struct sigaction`` of glibc on 64-bit Linux."""

    _fields_ = (
        ("handler", ctypes.c_void_p),
        ("mask", ctypes.c_ubyte * 128),
        ("flags", ctypes.c_int),
        ("restorer", ctypes.c_void_p),
    )


@dataclass(frozen=True)
class Access:
    """One touch of a guard: how far from the block's start, and whether it wrote (None: unknown)."""

    block: Block
    offset_bytes: int
    wrote: bool | None

    @property
    def after_free(self) -> bool:
        """Whether the memory had been given back."""
        return self.block.freed


@contextmanager
def page_faults(blocks: Iterable[Block]) -> Iterator[list[Access]]:
    """Inside, an access to a guard of ``blocks`` (which may grow) is listed, and let through.

    Any other fault takes its usual course, after a line to stderr about those that came before it.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    seen: list[Access] = []
    before = _SigAction()

    def handle(_: int, info: int, context: int) -> None:
        address = ctypes.c_uint64.from_address(info + _ADDRESS_OFFSET).value
        block = next((block for block in blocks if block.holds(address)), None)
        if block is not None and len(seen) < _MAX_FAULTS and block.open_at(address):
            seen.append(Access(block, address - block.start, _is_write(context)))
            return
        for access in seen[:1]:
            where = f"byte {access.offset_bytes} of `{access.block.name}`"
            size = access.block.size_bytes
            os.write(2, f"before it touched {where}, which has {size} bytes\n".encode())
        libc.sigaction(signal.SIGSEGV, ctypes.byref(before), None)

    handler = _Handler(handle)
    action = _SigAction(flags=_SA_SIGINFO | _SA_NODEFER)
    action.handler = ctypes.cast(handler, ctypes.c_void_p).value
    libc.sigaction(signal.SIGSEGV, ctypes.byref(action), ctypes.byref(before))
    try:
        yield seen
    finally:
        libc.sigaction(signal.SIGSEGV, ctypes.byref(before), None)


def _is_write(context: int) -> bool | None:
    if platform.machine() != "x86_64":
        return None
    return bool(ctypes.c_uint64.from_address(context + _ERROR_CODE_OFFSET).value & 2)
