"""Large outputs are to have large pages."""

from __future__ import annotations

import ctypes
import mmap
import re
from pathlib import Path

import pytest

from native_library import FLAG_SETS, compile_library

SOURCE = """
#include <opwright/large_pages.h>
extern "C" void want(void* data, int64_t size_bytes) { opwright::want_large_pages(data, size_bytes); }
"""
MIB = 1 << 20


def advised_bytes(address: int, size_bytes: int) -> int:
    """How much of this memory the operating system was told of."""
    found = 0
    areas = re.split(
        r"^(?=[0-9a-f]+-[0-9a-f]+ )", Path("/proc/self/smaps").read_text(), flags=re.MULTILINE
    )
    for area in areas[1:]:
        begin, end = (int(side, 16) for side in area.split(" ", 1)[0].split("-"))
        if re.search(r"^VmFlags:.* hg\b", area, re.MULTILINE):
            found += max(0, min(end, address + size_bytes) - max(begin, address))
    return found


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    if not Path("/sys/kernel/mm/transparent_hugepage/enabled").exists():
        pytest.skip("this Linux has no transparent large pages")
    return compile_library(tmp_path_factory.mktemp("pages"), SOURCE, FLAG_SETS["plain"])


@pytest.mark.parametrize(("size_mib", "advised"), [(3, False), (4, True), (64, True)])
def test_whole_large_pages_of_large_memory_are_asked_for_and_of_nothing_else(
    library: ctypes.CDLL, size_mib: int, advised: bool
) -> None:
    memory = mmap.mmap(-1, 80 * MIB, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    whole = ctypes.c_char.from_buffer(memory)
    begin = ctypes.addressof(whole)
    data, size_bytes = begin + 3 * MIB + 64, size_mib * MIB
    library.want(ctypes.c_void_p(data), ctypes.c_int64(size_bytes))
    inside = (data + size_bytes) // (2 * MIB) * (2 * MIB) - -(-data // (2 * MIB)) * (2 * MIB)
    assert advised_bytes(begin, 80 * MIB) == (inside if advised else 0)
    assert advised_bytes(data, size_bytes) == (inside if advised else 0)
    del whole
    memory.close()
