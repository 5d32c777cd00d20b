"""Pieces cover a tensor once; on a device they are few."""

from __future__ import annotations

import pytest
import torch

from opwright.judge.chunks import CHUNK_ELEMENTS, DEVICE_CHUNK_ELEMENTS, chunks


@pytest.mark.parametrize("count", [0, 1, CHUNK_ELEMENTS, CHUNK_ELEMENTS + 1])
def test_every_element_is_in_one_piece(count: int) -> None:
    places = torch.arange(count)
    assert [int(place) for part in chunks(places) for place in places[part]] == list(range(count))


def test_pieces_fit_a_cache_on_the_host_and_are_worth_a_launch_elsewhere() -> None:
    count = 2 * DEVICE_CHUNK_ELEMENTS
    elsewhere = torch.empty(count, device="meta")
    assert len(list(chunks(elsewhere))) == 2
    assert len(list(chunks(torch.empty(1).expand(count)))) == count // CHUNK_ELEMENTS
