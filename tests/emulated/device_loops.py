"""Calls the device loops that kernels of these tests export, and draws tensors for them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import torch

from emulated.building import Emulated

GUARD = 40


def function(loops: Emulated, dtype: torch.dtype, name: str) -> Callable[..., None]:
    """The exported function of a dtype; it takes tensors, whole numbers and floats."""
    called = getattr(loops.library, f"{str(dtype)[6:]}_{name}")

    def argument(value: torch.Tensor | float) -> object:
        if isinstance(value, torch.Tensor):
            return ctypes.c_void_p(value.data_ptr())
        return ctypes.c_int64(value) if isinstance(value, int) else ctypes.c_double(value)

    def call(*arguments: torch.Tensor | float) -> None:
        called(*map(argument, arguments))

    return call


def drawn(*sizes: int, dtype: torch.dtype, offset: int = 0, largest: int = 40) -> torch.Tensor:
    """Small integers, so that only a misplaced element can make a difference, from an offset on."""
    numel = torch.Size(sizes).numel()
    return torch.randint(-largest, largest + 1, (numel + offset,)).to(dtype)[offset:].view(sizes)


def guarded(*sizes: int, dtype: torch.dtype, offset: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """An output, and the memory that it is in the middle of."""
    numel = torch.Size(sizes).numel()
    room = torch.full((GUARD + offset + numel + GUARD,), 99.0, dtype=dtype)
    return room[GUARD + offset :][:numel].view(sizes), room


def untouched(room: torch.Tensor, output: torch.Tensor) -> bool:
    """Whether nothing beside the output was written."""
    first = output.storage_offset()
    return bool((room[:first] == 99).all() and (room[first + output.numel() :] == 99).all())
