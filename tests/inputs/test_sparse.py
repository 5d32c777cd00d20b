"""Sparse tensors reach past 2^31 elements and take hardly any memory."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from opwright.inputs.sparse import PAST_INT32, far_rows, sparse_elements


def held_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def test_rows_lie_past_2_31_elements_and_hold_the_same_values() -> None:
    before = held_bytes()
    dense = torch.arange(15.0).view(3, 5)
    placed = far_rows(dense)
    assert placed is not None
    assert torch.equal(placed, dense)
    assert placed.stride(0) > 2**31
    assert held_bytes() - before < 64 << 20


@pytest.mark.parametrize(
    "dense", [torch.ones(()), torch.ones(900), torch.ones(1, 5), torch.ones(3, 0)]
)
def test_without_several_rows_there_is_nothing_to_place(dense: torch.Tensor) -> None:
    assert far_rows(dense) is None


def test_the_last_of_many_elements_can_be_written_and_the_rest_is_zero() -> None:
    elements = sparse_elements(PAST_INT32, torch.uint8)
    elements[-1] = 7
    assert elements.numel() > 2**31
    assert (int(elements[-1]), int(elements[2**31]), int(elements[0])) == (7, 0, 0)
