from __future__ import annotations

import pytest
import torch

from opwright.measure.pooling import pooled


def normal(count: int, seed: int) -> torch.Tensor:
    return torch.randn(count, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def test_processes_that_differ_decide_the_error() -> None:
    found = pooled([torch.full((50,), float(level)) for level in (1, 2, 3, 4)])
    assert found.centre == 2.5
    assert found.squared_error == pytest.approx((5 / 3) / 4)
    assert (found.freedom, found.from_samples) == (3, 0.0)


def test_processes_that_agree_by_chance_keep_the_error_of_their_samples() -> None:
    same = normal(100, 1)
    found = pooled([same, same, same])
    assert found.squared_error > 0.005
    assert found.from_samples == 1.0


def test_one_process_says_nothing_of_others() -> None:
    assert pooled([normal(100, 1)]).squared_error == float("inf")
