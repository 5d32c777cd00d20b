"""Device memory with a known content around and in what a call allocates, PyTorch's allocator being on.

A pool of the caching allocator is filled with one byte before the call. What the call allocates comes
from there: fresh outputs hold that byte where nobody wrote, and every byte that was never part of an
allocation has to hold it still.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import torch

# Up to 1 MiB a tensor comes from segments of 2 MiB; larger ones would come from memory of their own.
LARGEST_BYTES = 1 << 20
_BLOCKS = 16
# The allocator's own record of what was asked for has no public name.
_record = torch.cuda.memory._record_memory_history  # noqa: SLF001
_snapshot = torch.cuda.memory._snapshot  # noqa: SLF001
_TRACE_ENTRIES = 10_000


@dataclass(frozen=True)
class Damage:
    """Bytes that changed although no tensor was there; the offset is from the end of ``beside``.

    ``beside`` names the tensor whose memory ends last before them; empty for none.
    """

    beside: str
    offset_bytes: int
    count: int


class RedZones:
    """Inside the block, allocations on the current CUDA device come from memory filled with ``pattern``."""

    def __init__(self, device: torch.device, pattern: int) -> None:
        self.device = device
        self.pattern = pattern
        self._stack = ExitStack()
        self._pool: Any = None

    def __enter__(self) -> RedZones:  # noqa: PYI034 -- Python 3.10 has no Self
        self._pool = torch.cuda.MemPool()
        self._stack.enter_context(torch.cuda.use_mem_pool(self._pool, self.device))
        blocks = [
            torch.empty(LARGEST_BYTES, dtype=torch.uint8, device=self.device)
            for _ in range(_BLOCKS)
        ]
        for block in blocks:
            block.fill_(self.pattern)
        blocks.clear()
        torch.cuda.synchronize(self.device)
        _record("all", None, "python", _TRACE_ENTRIES)
        self._stack.callback(_record, None)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def holds(self, tensor: torch.Tensor) -> bool:
        """Whether the tensor's memory was filled before it was allocated."""
        place = tensor.untyped_storage().data_ptr()
        return any(begin <= place < begin + size for begin, size in self._segments())

    def damage(self, named: Mapping[str, torch.Tensor]) -> list[Damage]:
        """What changed outside every allocation; ``named`` are the tensors by which it is told where.

        To be asked inside the block, when the device has been waited for.
        """
        allocated = sorted(self._allocations())
        ends = sorted(
            (storage.data_ptr() + storage.nbytes(), name)
            for name, tensor in named.items()
            if (storage := tensor.untyped_storage()).nbytes()
        )
        found = []
        for begin, size in self._segments():
            for first, count in self._changed(begin, size, allocated):
                before = [(end, name) for end, name in ends if begin <= end <= first]
                end, name = before[-1] if before else (begin, "")
                found.append(Damage(name, first - end, count))
        return found

    def _segments(self) -> list[tuple[int, int]]:
        snapshot = self._pool.snapshot()
        return [(entry["address"], entry["total_size"]) for entry in snapshot]

    def _allocations(self) -> Iterator[tuple[int, int]]:
        """Begin and end of each allocation since the block was entered, as it was asked for."""
        for entry in _snapshot(self.device)["device_traces"][self.device.index]:
            if entry["action"] == "alloc":
                yield entry["addr"], entry["addr"] + entry["size"]

    def _changed(
        self, begin: int, size: int, allocated: list[tuple[int, int]]
    ) -> Iterator[tuple[int, int]]:
        """Address and length of each run of bytes outside allocations that lost the pattern."""
        differs = _memory(begin, size, self.device) != self.pattern
        for first, last in allocated:
            if first < begin + size and last > begin:
                differs[max(first - begin, 0) : last - begin] = False
        places = differs.nonzero().flatten().tolist()
        start = 0
        for here in range(1, len(places) + 1):
            if here == len(places) or places[here] != places[here - 1] + 1:
                yield begin + places[start], here - start
                start = here


class _Raw:
    """Memory of the device by its address, for torch to view."""

    def __init__(self, address: int, size_bytes: int) -> None:
        self.__cuda_array_interface__ = {
            "data": (address, False),
            "shape": (size_bytes,),
            "typestr": "|u1",
            "version": 3,
        }


def _memory(address: int, size_bytes: int, device: torch.device) -> torch.Tensor:
    return torch.as_tensor(_Raw(address, size_bytes), device=device)
