"""Guarded memory keeps a tensor's values and strides, and shows whatever happens beside its elements."""

from __future__ import annotations

import ctypes
import gc

import pytest
import torch

from opwright.watch.guard_pages import CANARY, guard_tensor, make_block
from opwright.watch.guarded_allocator import guarded_allocations
from opwright.watch.page_faults import page_faults

LAID_OUT = {
    "dense": torch.arange(12.0).view(3, 4),
    "transposed": torch.arange(12.0).view(3, 4).t(),
    "step 2": torch.arange(24.0).view(3, 8)[:, ::2],
    "expanded": torch.arange(4.0).expand(3, 4),
    "one element": torch.tensor(2.5),
    "bool": torch.tensor([True, False, True]),
}


@pytest.mark.parametrize("at_end", [True, False])
@pytest.mark.parametrize("tensor", LAID_OUT.values(), ids=LAID_OUT)
def test_values_and_strides_stay(tensor: torch.Tensor, at_end: bool) -> None:
    placed, block = guard_tensor("input", tensor, at_end=at_end)
    assert torch.equal(placed, tensor)
    assert placed.stride() == tensor.stride()
    assert block is not None
    block.look()
    assert block.damaged == []
    del placed
    block.release()


def test_an_empty_tensor_is_left_where_it_is() -> None:
    tensor = torch.empty(0, 3)
    assert guard_tensor("input", tensor, at_end=True) == (tensor, None)


def test_a_write_into_a_gap_is_seen_at_its_place() -> None:
    _placed, block = guard_tensor("input", torch.zeros(3, 8)[:, ::2], at_end=True)
    assert block is not None
    ctypes.memset(block.start + 5, 7, 1)
    block.look()
    assert block.damaged == [5]


def test_a_write_beside_the_tensor_on_its_page_is_seen() -> None:
    _placed, block = guard_tensor("input", torch.zeros(3), at_end=True)
    assert block is not None
    ctypes.memset(block.start - 2, 7, 1)
    block.look()
    assert block.damaged == [-2]


@pytest.mark.parametrize("at_end, offset", [(True, 100), (False, -1)])
def test_an_access_to_the_guard_is_listed_and_let_through(at_end: bool, offset: int) -> None:
    block = make_block("input", 100, at_end=at_end)
    with page_faults([block]) as accesses:
        ctypes.string_at(block.start + offset, 1)
        ctypes.memset(block.start + (block.size_bytes if not at_end else -1), CANARY, 1)
    assert [(a.offset_bytes, bool(a.wrote)) for a in accesses] == [(offset, False)]
    block.release()


def test_a_write_to_the_guard_is_told_from_a_read() -> None:
    block = make_block("input", 100, at_end=True)
    with page_faults([block]) as accesses:
        ctypes.memset(block.end, 1, 1)
    assert [access.wrote for access in accesses] in ([True], [None])
    block.release()


def test_what_torch_allocates_is_guarded_and_freed_memory_is_watched() -> None:
    with guarded_allocations(at_end=True) as allocator:
        assert allocator is not None
        kept = torch.full((5,), 3.0)
        address = torch.full((7,), 4.0).data_ptr()
        with page_faults(allocator.blocks) as accesses:
            ctypes.string_at(address, 4)
    assert kept.tolist() == [3.0] * 5
    assert any(block.start == kept.data_ptr() for block in allocator.blocks)
    assert [access.after_free for access in accesses] == [True]
    del kept
    gc.collect()
    allocator.end()
    assert allocator.blocks == []


def test_afterwards_torch_allocates_as_before() -> None:
    with guarded_allocations(at_end=False) as allocator:
        torch.empty(10)
    assert allocator is not None
    before = len(allocator.blocks)
    torch.empty(10)
    assert len(allocator.blocks) == before
    allocator.end()


def test_a_tensor_that_somebody_keeps_stays_readable() -> None:
    placed, block = guard_tensor("input", torch.arange(4.0), at_end=True)
    assert block is not None
    block.release()
    assert placed.tolist() == [0.0, 1.0, 2.0, 3.0]
