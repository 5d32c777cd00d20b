"""Memory between pages that nobody may touch, so that an access outside a tensor is seen at once."""

from __future__ import annotations

import ctypes
import mmap
import weakref
from dataclasses import dataclass, field

import torch

CANARY = 0xA9
# Address space only: pages that nobody may touch take no memory.
GUARD_BYTES = 64 << 20
_PAGE = mmap.PAGESIZE
_OPENED_BYTES = 64 << 10
_PROT_NONE, _READ_WRITE = 0, mmap.PROT_READ | mmap.PROT_WRITE
_FAILED = ctypes.c_void_p(-1).value

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = (
    *(ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int),
    ctypes.c_long,
)
_libc.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
_libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)


@dataclass(eq=False)
class Block:
    """Pages between two guards, with ``size_bytes`` of them at ``start`` given away.

    ``name`` says whose they are, empty for memory that the operator allocated. ``owned`` marks the
    bytes of the given part that belong to a tensor, None for all of them. ``holder`` lives as long as
    a tensor over the given part does.
    """

    name: str
    base: int
    pages_bytes: int
    start: int
    size_bytes: int
    owned: torch.Tensor | None = None
    freed: bool = False
    damaged: list[int] = field(default_factory=list)
    holder: weakref.ref[object] | None = None

    @property
    def pages(self) -> int:
        """Address of the first page between the guards."""
        return self.base + GUARD_BYTES

    @property
    def end(self) -> int:
        """Address after the last byte that was given away."""
        return self.start + self.size_bytes

    def holds(self, address: int) -> bool:
        """Whether the address lies in the block or in one of its guards."""
        return self.base <= address < self.pages + self.pages_bytes + GUARD_BYTES

    def open_at(self, address: int) -> bool:
        """Let the pages around an address be touched from now on."""
        first = max(self.base, address // _OPENED_BYTES * _OPENED_BYTES)
        last = min(first + _OPENED_BYTES, self.pages + self.pages_bytes + GUARD_BYTES)
        return bool(_libc.mprotect(first, last - first, _READ_WRITE) == 0)

    def bytes_at(self, address: int, size_bytes: int) -> torch.Tensor:
        """A piece of memory as a tensor of bytes, for as long as the block is mapped."""
        if not size_bytes:
            return torch.empty(0, dtype=torch.uint8)
        memory = (ctypes.c_char * size_bytes).from_address(address)
        return torch.frombuffer(memory, dtype=torch.uint8)

    def look(self) -> None:
        """Note every byte beside the owned ones that was written to, as distance from ``start``."""
        if self.freed:
            return
        # No tensors but for arguments: this runs while torch's allocations come here.
        self.damaged = [*_written(self.pages, self.start, self.start)]
        if self.owned is not None:
            given = (self.bytes_at(self.start, self.size_bytes) != CANARY) & ~self.owned
            self.damaged += given.nonzero().reshape(-1).tolist()
        self.damaged += _written(self.end, self.pages + self.pages_bytes, self.start)

    def forbid(self) -> None:
        """From now on whoever touches the block at all is seen."""
        self.freed = True
        _libc.mprotect(self.pages, self.pages_bytes, _PROT_NONE)

    def release(self) -> None:
        """Give the addresses back, unless somebody has kept the tensor."""
        if self.holder is None or self.holder() is None:
            _libc.munmap(self.base, self.pages_bytes + 2 * GUARD_BYTES)


def make_block(name: str, size_bytes: int, *, at_end: bool, alignment: int = 1) -> Block:
    """Memory that ends (or begins) at a guard, as nearly as ``alignment`` allows. Raises MemoryError."""
    pages_bytes = max(1, -(-size_bytes // _PAGE)) * _PAGE
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    base = _libc.mmap(None, pages_bytes + 2 * GUARD_BYTES, _PROT_NONE, flags, -1, 0)
    if base in (None, _FAILED) or _libc.mprotect(base + GUARD_BYTES, pages_bytes, _READ_WRITE):
        raise MemoryError(f"{pages_bytes:,} bytes between guard pages cannot be mapped")
    pages = base + GUARD_BYTES
    ctypes.memset(pages, CANARY, pages_bytes)
    start = (pages + pages_bytes - size_bytes) // alignment * alignment if at_end else pages
    return Block(name, base, pages_bytes, start, size_bytes)


def guard_tensor(
    name: str, tensor: torch.Tensor, *, at_end: bool
) -> tuple[torch.Tensor, Block | None]:
    """The same tensor, strides included, in guarded memory, and its block; itself where it is empty."""
    if tensor.numel() == 0:
        return tensor, None
    steps = zip(tensor.shape, tensor.stride(), strict=True)
    span = 1 + sum((size - 1) * stride for size, stride in steps)
    item = tensor.element_size()
    block = make_block(name, span * item, at_end=at_end)
    memory = (ctypes.c_char * block.size_bytes).from_address(block.start)
    block.holder = weakref.ref(memory)
    flat = torch.frombuffer(memory, dtype=torch.uint8).view(tensor.dtype)
    owned = torch.zeros(span, dtype=torch.bool)
    _distinct(owned.as_strided(tensor.shape, tensor.stride())).fill_(True)
    block.owned = owned.repeat_interleave(item)
    placed = flat.as_strided(tensor.shape, tensor.stride())
    _distinct(placed).copy_(_distinct(tensor))
    return placed, block


def _written(first: int, last: int, origin: int) -> list[int]:
    """Places between two addresses that no longer hold the canary, counted from ``origin``."""
    held = ctypes.string_at(first, last - first)
    if held.count(CANARY) == len(held):
        return []
    return [first - origin + place for place, byte in enumerate(held) if byte != CANARY]


def _distinct(tensor: torch.Tensor) -> torch.Tensor:
    """A view without the repetitions that strides of zero make."""
    for dim, stride in enumerate(tensor.stride()):
        if stride == 0:
            tensor = tensor.narrow(dim, 0, 1)
    return tensor
