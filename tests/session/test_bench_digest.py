"""Digests differ wherever results do, on the host and on devices."""

from __future__ import annotations

import pytest
import torch

from opwright.session.bench_digest import digest_of, sums_of


def test_equal_tensors_have_one_digest_and_others_another() -> None:
    one = torch.arange(6.0)
    assert digest_of([one]) == digest_of([one.clone()])
    others = [one + 1, one.view(2, 3), one.double(), one.view(2, 3).t().contiguous()]
    assert len({digest_of([each]) for each in (one, *others)}) == 5
    assert digest_of([one, others[0]]) != digest_of([others[0], one])


def test_what_is_no_tensor_and_what_has_no_data_has_no_digest() -> None:
    assert digest_of([torch.ones(2), None]) == ""
    assert digest_of([torch.ones(2, device="meta")]) == ""


def bytes_of(*values: int) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.uint8)


@pytest.mark.parametrize("place", [0, 7, 8, 15, 16, 18])
def test_the_sums_differ_where_one_bit_does(place: int) -> None:
    """Within a word, in another, and in what is left behind the last."""
    plain = torch.zeros(19, dtype=torch.uint8)
    changed = plain.clone()
    changed[place] = 1
    assert sums_of(plain) != sums_of(changed)


def test_the_sums_differ_where_words_have_changed_places() -> None:
    one, other = bytes_of(*range(8)), bytes_of(*range(8, 16))
    assert sums_of(torch.cat([one, other])) != sums_of(torch.cat([other, one]))


def test_the_sums_are_the_same_wherever_the_bytes_begin() -> None:
    held = bytes_of(*range(30))
    assert sums_of(held[3:27]) == sums_of(held[3:27].clone())


def test_nothing_has_sums_too() -> None:
    assert sums_of(bytes_of()) == [0, 0]
