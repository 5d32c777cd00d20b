from __future__ import annotations

import os
import subprocess
import sys

import pytest
import torch

from opwright.watch import poison
from opwright.watch.poison import PATTERNS, poisonable_environment, poisoned_allocations

EVERY_SIZE = """
import torch
from opwright.watch.poison import PATTERNS, poisoned_allocations
for attempt in range(20):
    for pattern in PATTERNS:
        with poisoned_allocations(pattern) as works:
            assert works
            for size_bytes in (1, 3, 24, 60, 100, 500, 1000, 5000, 1 << 18, 8 << 20):
                count = 10 if size_bytes < 1 << 20 else 2  # large memory takes long to fill
                freed = [torch.ones(size_bytes, dtype=torch.uint8) for _ in range(count)]
                del freed
                found = torch.empty(size_bytes, dtype=torch.uint8)
                assert bool((found == pattern).all()), (attempt, size_bytes, found)
"""

# What is freed once the pattern is in force: blocks of a size, apart from each other.
FREED_MEANWHILE = """
import ctypes, torch
from opwright.watch.poison import PATTERNS, poisoned_allocations
c = ctypes.CDLL(None)
c.malloc.restype, c.malloc.argtypes, c.free.argtypes = ctypes.c_void_p, [ctypes.c_size_t], [ctypes.c_void_p]
for size_bytes in range(24, 600, 8):
    kept = [(c.malloc(size_bytes), c.malloc(40)) for _ in range(60)]
    with poisoned_allocations(PATTERNS[0]) as works:
        assert works
        for block, _ in kept:
            c.free(block)
        drained = [c.malloc(size_bytes) for _ in range(7)]
        for found in [torch.empty(3, 5) for _ in range(4)]:
            assert bool((found.view(torch.uint8) == PATTERNS[0]).all()), size_bytes
"""


@pytest.mark.parametrize("program", [EVERY_SIZE, FREED_MEANWHILE], ids=["before", "meanwhile"])
def test_memory_of_every_size_holds_the_pattern_also_when_it_was_used(program: str) -> None:
    environment = {**os.environ, **poisonable_environment()}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_tunables_that_are_set_already_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLIBC_TUNABLES", "glibc.malloc.arena_max=1")
    assert poisonable_environment() == {
        "GLIBC_TUNABLES": "glibc.malloc.arena_max=1:glibc.malloc.tcache_count=0"
    }


def test_no_pattern_is_the_other_nor_what_memory_is_mostly_full_of() -> None:
    assert len({*PATTERNS, 0x00, 0xFF}) == 4


def test_poisoning_ends_with_the_block() -> None:
    with poisoned_allocations(PATTERNS[0]):
        pass
    untouched = [torch.empty(8 << 20, dtype=torch.uint8) for _ in range(3)]
    assert not all(bool((tensor == PATTERNS[0]).all()) for tensor in untouched)


def test_an_allocator_that_does_not_obey_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(poison, "_perturb", lambda byte: True)  # says yes, does nothing
    with poisoned_allocations(PATTERNS[0]) as works:
        assert not works


def test_an_allocator_that_fills_small_memory_only_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fills = poison._is_filled
    monkeypatch.setattr(
        poison, "_is_filled", lambda size, pattern: size < 1 << 20 and fills(size, pattern)
    )
    poison._fills_large_memory.cache_clear()
    try:
        with poisoned_allocations(PATTERNS[0]) as works:
            assert not works
    finally:
        poison._fills_large_memory.cache_clear()
