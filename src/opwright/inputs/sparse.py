"""Tensors of many gigabytes of which hardly a page exists: sparse files, mapped and forgotten."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import torch

PAST_INT32 = (1 << 31) + 64
_MOST_STEPS = 64


def sparse_elements(count: int, dtype: torch.dtype) -> torch.Tensor:
    """``count`` elements, all zero bytes until written to. Raises OSError or RuntimeError without room."""
    size_bytes = count * torch.empty((), dtype=dtype).element_size()
    with tempfile.TemporaryDirectory(prefix="opwright-sparse-") as folder:
        path = Path(folder) / "elements"
        with path.open("wb") as file:
            file.truncate(size_bytes)
        # The mapping outlives the file's name.
        return torch.from_file(str(path), shared=True, size=count, dtype=dtype)


Elements = Callable[[int, torch.dtype], torch.Tensor]


def far_rows(dense: torch.Tensor, elements: Elements = sparse_elements) -> torch.Tensor | None:
    """The same values, each step of the first dimension past 2^31 elements; None where it has no steps, or too many.

    ``elements`` makes the memory of so many elements.
    """
    if not has_rows(dense):
        return None
    row = dense[0].numel()
    step = PAST_INT32 + row
    memory = elements((dense.shape[0] - 1) * step + row, dense.dtype)
    strides = (step, *dense[0].contiguous().stride())
    return memory.as_strided(dense.shape, strides).copy_(dense)


def has_rows(dense: torch.Tensor) -> bool:
    """Whether there are several steps, and not so many that the mapping would take terabytes."""
    return dense.dim() > 0 and 1 < dense.shape[0] <= _MOST_STEPS and dense.numel() > 0
