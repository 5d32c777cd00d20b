"""Fresh memory with a known content, so that an output that nobody wrote can be told."""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch

# Bytes that fresh memory is filled with, one call each. No right answer consists of both; neither may
# be 0xff, whose complement glibc takes for "off".
PATTERNS = (0xA5, 0x3B)

_M_PERTURB = -6  # <malloc.h>: fill memory that is handed out with the complement of a byte
_PROBE_SIZES = (1, 24, 100, 500, 1000, 100_000)
_LARGE_PROBE_SIZE = 5_000_000  # mapped, not cut from the heap; looked at once in a process

# glibc hands a thread's own small freed blocks out again without filling them, those that it puts there
# while it looks for memory of their size included; without that cache it fills everything. Read when a
# process starts.
_NO_THREAD_CACHE = "glibc.malloc.tcache_count=0"


def poisonable_environment() -> dict[str, str]:
    """What to start a process with so that its small allocations can be poisoned too."""
    others = os.environ.get("GLIBC_TUNABLES", "")
    return {"GLIBC_TUNABLES": ":".join(filter(None, (others, _NO_THREAD_CACHE)))}


@contextmanager
def poisoned_allocations(pattern: int) -> Iterator[bool]:
    """Inside the block, memory that PyTorch allocates on the CPU is filled with the byte ``pattern``.

    Gives False where that does not work: another C library than glibc, another allocator in place, or a
    process that was not started with `poisonable_environment` and has kept small blocks.
    """
    works = _perturb(pattern ^ 0xFF) and all(_is_filled(size, pattern) for size in _PROBE_SIZES)
    try:
        yield works and _fills_large_memory(pattern)
    finally:
        _perturb(0)


def _perturb(byte: int) -> bool:
    try:
        return bool(ctypes.CDLL(None).mallopt(_M_PERTURB, byte))
    except AttributeError:
        return False


@functools.cache
def _fills_large_memory(pattern: int) -> bool:
    """Asked while ``pattern`` is in force."""
    return _is_filled(_LARGE_PROBE_SIZE, pattern)


def _is_filled(size_bytes: int, pattern: int) -> bool:
    return bool((torch.empty(size_bytes, dtype=torch.uint8) == pattern).all())
