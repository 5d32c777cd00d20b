from __future__ import annotations

import pytest
import torch

from opwright import Tensor
from opwright.inputs.values import MAGNITUDES, draw, has_room, of_kind


def drawn(dtype: torch.dtype, seed: int = 0, **described: tuple[float, float]) -> torch.Tensor:
    return draw((50, 40), dtype, Tensor(50, 40, **described), torch.Generator().manual_seed(seed))


@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.bfloat16, torch.int8, torch.bool, torch.complex64]
)
def test_the_seed_decides_every_element(dtype: torch.dtype) -> None:
    assert torch.equal(drawn(dtype), drawn(dtype))
    assert not torch.equal(drawn(dtype), drawn(dtype, seed=1))
    assert drawn(dtype).dtype == dtype


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int64, torch.int16])
def test_a_range_is_kept_and_used_to_its_ends(dtype: torch.dtype) -> None:
    values = drawn(dtype, range=(-3.0, 9.0)).double()
    assert -3 <= float(values.min()) < -2
    assert 8 < float(values.max()) <= 9


def test_unsigned_integers_begin_at_zero() -> None:
    assert int(drawn(torch.uint8).min()) == 0
    assert int(drawn(torch.uint8, range=(-5.0, 3.0)).max()) == 3


def test_without_a_range_numbers_are_normal_and_of_either_sign() -> None:
    values = drawn(torch.float32)
    assert abs(float(values.mean())) < 0.1
    assert 0.9 < float(values.std()) < 1.1


@pytest.mark.parametrize("values", MAGNITUDES)
def test_other_magnitudes_are_multiples_of_what_is_drawn(values: str) -> None:
    plain, tensor = drawn(torch.float32), Tensor(50, 40)
    assert torch.equal(of_kind(plain, values, tensor), plain * MAGNITUDES[values])
    whole = drawn(torch.int32)
    assert torch.equal(of_kind(whole, values, tensor), whole)


def test_a_range_leaves_room_for_small_numbers_only_and_not_where_it_has_no_zero() -> None:
    assert not has_room(Tensor(2, range=(-100.0, 100.0)), "large")
    assert has_room(Tensor(2, range=(-100.0, 100.0)), "small")
    assert not has_room(Tensor(2, range=(1.0, 2.0)), "small")
