from __future__ import annotations

import math

import pytest
import torch

from opwright.measure.resampling import median_error


def normal(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def test_the_error_of_independent_samples_is_the_known_one() -> None:
    found = [median_error(normal(200, seed=seed)) for seed in range(40)]
    assert sum(found) / 40 == pytest.approx(1.2533 / math.sqrt(200), rel=0.15)


def test_samples_that_resemble_their_neighbours_have_a_greater_error() -> None:
    walk = torch.empty(200, 40, dtype=torch.float64)
    walk[0] = normal(40)
    for number in range(1, 200):
        walk[number] = 0.8 * walk[number - 1] + 0.6 * normal(40, seed=number)
    shuffled = walk[torch.randperm(200, generator=torch.Generator().manual_seed(1))]
    close = sum(median_error(walk[:, column]) for column in range(40))
    apart = sum(median_error(shuffled[:, column]) for column in range(40))
    assert close > 1.6 * apart


def test_the_same_series_has_the_same_error_whatever_the_global_state() -> None:
    values = normal(100)
    torch.manual_seed(1)
    first = median_error(values)
    torch.manual_seed(2)
    assert median_error(values) == first > 0


def test_global_random_numbers_stay_as_they_are() -> None:
    state = torch.get_rng_state()
    median_error(normal(50))
    assert torch.equal(torch.get_rng_state(), state)


def test_one_value_has_no_error() -> None:
    assert median_error(normal(1)) == 0
