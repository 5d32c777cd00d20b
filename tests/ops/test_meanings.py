"""What shipped operators promise beyond a formula: random numbers, ties, roundings, rows without an answer."""

from __future__ import annotations

from typing import cast

import pytest
import torch

from opwright.discovery import find_one
from opwright.operator import Operator

pytestmark = pytest.mark.slow  # a build for each

NAN, INFINITY = float("nan"), float("inf")


def shipped(name: str) -> Operator:
    return cast("Operator", find_one(name))


def test_dropout_draws_the_published_words_of_philox() -> None:
    """The known answer of Random123 for a counter and a key of zeros, and that of the next counter."""
    reference = shipped("bias_dropout_residual").spec.reference
    bits = reference.__globals__["random_bits"](0, 4, torch.device("cpu"))
    assert [f"{word:08x}" for word in bits.tolist()] == [
        *("6627e8d5", "e169c58d", "bc57ac4c", "9b00dbd8")
    ]


@pytest.mark.parametrize("p", [0.0, 0.1, 0.9, 1.0])
def test_dropout_drops_as_many_as_it_says_and_keeps_the_mean(p: float) -> None:
    ones = torch.ones(1000, 257)
    output = shipped("bias_dropout_residual")(ones, torch.zeros(257), torch.zeros_like(ones), p, 1)
    assert abs((output == 0).double().mean().item() - p) < 0.01
    assert (output[output != 0] == torch.tensor(1 / (1 - p) if p < 1 else 0)).all()


def test_dropout_follows_from_seed_and_place_alone() -> None:
    operator, ones = shipped("bias_dropout_residual"), torch.ones(64, 32)

    def dropped(x: torch.Tensor, seed: int) -> torch.Tensor:
        output = operator(x, torch.zeros(x.shape[-1]), torch.zeros_like(x), 0.5, seed)
        return torch.eq(output.flatten(), 0)

    assert torch.equal(dropped(ones, 3), dropped(ones.view(16, 128), 3))
    assert torch.equal(dropped(ones, 3)[:100], dropped(torch.ones(10, 10), 3))
    apart = dropped(ones, 3) != dropped(ones, 3 + 2**32)
    assert 0.4 < apart.double().mean() < 0.6


def test_of_equal_gates_the_lower_expert_comes_first() -> None:
    x = torch.tensor([[1.0, 3.0, 3.0, 0.0, 3.0], [0.0, -0.0, -1.0, 0.0, -1.0]])
    output, experts, rows = shipped("moe_gating_top_k_softmax")(x, None, 4)
    assert experts.tolist() == [[1, 2, 4, 0], [0, 1, 3, 2]]
    assert experts.dtype == rows.dtype == torch.int32
    torch.testing.assert_close(output, torch.softmax(x, -1).gather(1, experts.long()))


def test_rows_are_numbered_k_major_and_finished_ones_have_no_expert() -> None:
    x = torch.randn(3, 2, 8).half()
    finished = torch.tensor([[False, True], [False, False], [True, False]])
    output, experts, rows = shipped("moe_gating_top_k_softmax")(x, finished, 2)
    assert rows.view(6, 2).tolist() == [[i, 6 + i] for i in range(6)]
    assert (experts[finished] == 8).all()
    assert (experts[~finished] < 8).all()
    assert torch.equal(output, shipped("moe_gating_top_k_softmax")(x, None, 2)[0])


def test_what_is_no_number_is_the_first_of_the_experts() -> None:
    x = torch.tensor([[INFINITY, 1.0, NAN, -INFINITY, -NAN], [NAN, 1.0, 2.0, -NAN, INFINITY]])
    output, experts, _ = shipped("moe_gating_top_k_softmax")(x, None, 5)
    assert experts.tolist() == [[2, 4, 0, 1, 3], [0, 3, 4, 2, 1]]
    assert output.isnan().all()


def test_halves_are_quantised_to_even() -> None:
    x = torch.tensor([[127.0, 0.5, 1.5, 2.5, -0.5, -1.5, -127.0]])
    output, scale = shipped("dynamic_quant")(x)
    assert output.tolist() == [[127, 0, 2, 2, 0, -2, -127]]
    assert scale.tolist() == [1.0]


def test_the_smooth_scale_comes_before_the_largest() -> None:
    x, smooth = torch.tensor([[1.0, -2.0]]).half(), torch.tensor([2.54, 0.5]).half()
    output, scale = shipped("dynamic_quant")(x, smooth)
    assert scale.dtype == torch.float32
    torch.testing.assert_close(scale, smooth[:1].float() / 127)
    assert output.tolist() == [[127, -50]]


def test_a_quotient_that_is_no_number_is_quantised_to_zero() -> None:
    x = torch.tensor([[0.0, -0.0], [1.0, NAN], [-INFINITY, 1.0]])
    output, scale = shipped("dynamic_quant")(x)
    assert output.tolist() == [[0, 0]] * 3
    assert scale[0] == 0
    assert scale[1].isnan()
    assert scale[2] == INFINITY
