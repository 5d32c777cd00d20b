"""What is shared by checks that look at outputs."""

from __future__ import annotations

import torch

from opwright.checks.judging.outputs import same_bits


def test_bits_are_compared_of_a_single_element_with_any_stride() -> None:
    one = torch.arange(3, dtype=torch.int32).view(1, 3).t()[:1]
    assert one.stride() == (1, 3)
    assert same_bits(one, torch.zeros(1, 1, dtype=torch.int32))
    assert not same_bits(one, torch.ones(1, 1, dtype=torch.int32))


def test_not_a_number_is_itself_and_zeros_have_signs() -> None:
    assert same_bits(torch.tensor([float("nan")]), torch.tensor([float("nan")]))
    assert not same_bits(torch.tensor([0.0]), torch.tensor([-0.0]))
