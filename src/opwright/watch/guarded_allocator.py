"""PyTorch's CPU allocations between guard pages: two entries of libc10's table of imports are exchanged.

That reaches every tensor that an operator allocates, whichever way it asks for it, without a compiler
and without a library that would have to be there before torch is.
"""

from __future__ import annotations

import ctypes
import mmap
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from opwright.watch.guard_pages import Block, make_block

_Memalign = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(ctypes.c_void_p), ctypes.c_size_t, ctypes.c_size_t
)
_Free = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_LIBRARY = "libc10.so"
_NAMES = ("posix_memalign", "free")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_RELA = struct.Struct("<QQq")
_SYMBOL = struct.Struct("<IBBHQQ")
_ENOMEM = 12


class GuardedAllocator:
    """What the exchanged functions know: live blocks by address, and those that were given back."""

    def __init__(self) -> None:
        self.live: dict[int, Block] = {}
        self.freed: list[Block] = []
        self.at_end = True
        libc = ctypes.CDLL(None)
        self._real_free = ctypes.cast(libc.free, _Free)
        self._memalign, self._free = _Memalign(self._allocate), _Free(self._give_back)
        self._slots = _import_slots()
        self._were: dict[str, int] = {}

    @property
    def blocks(self) -> list[Block]:
        """Every block of the present case."""
        return [*self.live.values(), *self.freed]

    def begin(self, *, at_end: bool) -> None:
        """From now on torch gets guarded memory."""
        self.at_end = at_end
        self._exchange("posix_memalign", self._memalign)
        self._exchange("free", self._free)

    def pause(self) -> None:
        """Torch gets ordinary memory again; what it gives back is still told apart."""
        self._restore("posix_memalign")

    def end(self) -> None:
        """Let go of what was given back, and of ``free`` where nothing guarded is left."""
        self._restore("posix_memalign")
        for block in self.freed:
            block.release()
        self.freed.clear()
        if not self.live:
            self._restore("free")

    def _allocate(self, result: ctypes._Pointer[ctypes.c_void_p], alignment: int, size: int) -> int:
        try:
            block = make_block("", size, at_end=self.at_end, alignment=alignment)
        except MemoryError:
            return _ENOMEM
        self.live[block.start] = block
        result[0] = ctypes.c_void_p(block.start)
        return 0

    def _give_back(self, address: int | None) -> None:
        block = self.live.pop(address or 0, None)
        if block is None:
            self._real_free(address)
            return
        block.look()
        block.forbid()
        self.freed.append(block)

    def _exchange(self, name: str, function: Any) -> None:
        if name not in self._were:
            slot = self._slots[name]
            self._were[name] = _read(slot)
            _write(slot, ctypes.cast(function, ctypes.c_void_p).value or 0)

    def _restore(self, name: str) -> None:
        if name in self._were:
            _write(self._slots[name], self._were.pop(name))


_ALLOCATOR: list[GuardedAllocator] = []


@contextmanager
def guarded_allocations(*, at_end: bool) -> Iterator[GuardedAllocator | None]:
    """Inside, what torch allocates on the CPU ends (or begins) at a guard page.

    Gives None where libc10 cannot be told to: another platform, or another way to link it.
    """
    try:
        if not _ALLOCATOR:
            _ALLOCATOR.append(GuardedAllocator())
    except (OSError, LookupError, struct.error):
        yield None
        return
    allocator = _ALLOCATOR[0]
    allocator.begin(at_end=at_end)
    try:
        yield allocator
    finally:
        allocator.pause()


def _import_slots() -> dict[str, int]:
    """Addresses of the entries through which libc10 calls the allocator. LookupError where it has none."""
    base, path = _loaded()
    image = path.read_bytes()
    if image[:6] != b"\x7fELF\x02\x01":
        raise LookupError("not a 64-bit little-endian library")
    sections = _sections(image)
    found: dict[str, int] = {}
    for name, section in sections.items():
        if not name.startswith(".rela.plt"):
            continue
        for offset, info, _ in _RELA.iter_unpack(_content(image, section)):
            symbol = _symbol_name(image, sections, info >> 32)
            if symbol in _NAMES:
                found[symbol] = base + offset
    if set(found) != set(_NAMES):
        raise LookupError("libc10 does not import the allocator by name")
    return found


def _loaded() -> tuple[int, Path]:
    for line in Path("/proc/self/maps").read_text().splitlines():
        if line.endswith("/" + _LIBRARY) and line.split()[2] == "00000000":
            return int(line.split("-")[0], 16), Path(line.split(maxsplit=5)[5])
    raise LookupError(f"{_LIBRARY} is not loaded")


def _sections(image: bytes) -> dict[str, tuple[int, ...]]:
    (start,) = struct.unpack_from("<Q", image, 40)
    count, names_at = struct.unpack_from("<HH", image, 60)
    listed = [_SECTION.unpack_from(image, start + i * _SECTION.size) for i in range(count)]
    names = _content(image, listed[names_at])
    return {_text(names, section[0]): section for section in listed}


def _content(image: bytes, section: tuple[int, ...]) -> bytes:
    offset, size = section[4], section[5]
    return image[offset : offset + size]


def _symbol_name(image: bytes, sections: dict[str, tuple[int, ...]], index: int) -> str:
    entry = _SYMBOL.unpack_from(image, sections[".dynsym"][4] + index * _SYMBOL.size)
    start = sections[".dynstr"][4] + entry[0]
    return image[start : image.index(b"\0", start)].decode()


def _text(names: bytes, start: int) -> str:
    return names[start : names.index(b"\0", start)].decode()


def _read(slot: int) -> int:
    # Once called, so that the loader has put the function's own address there.
    return int(ctypes.c_uint64.from_address(slot).value)


def _write(slot: int, value: int) -> None:
    page = slot // mmap.PAGESIZE * mmap.PAGESIZE
    libc = ctypes.CDLL(None)
    libc.mprotect(ctypes.c_void_p(page), ctypes.c_size_t(2 * mmap.PAGESIZE), 3)
    ctypes.c_uint64.from_address(slot).value = value
