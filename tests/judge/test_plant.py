"""Each plant is wrong in the way that its name says, and leaves what it is made from alone."""

from __future__ import annotations

import pytest
import torch

from opwright.judge.plant import PLANTS, Setting

DTYPES = (
    *(torch.float64, torch.float32, torch.float16, torch.bfloat16),
    *(torch.complex64, torch.int32, torch.uint8, torch.bool),
)


def make(dtype: torch.dtype, *shape: int, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    if dtype == torch.bool:
        return torch.rand(shape, generator=generator) > 0.5
    if not dtype.is_floating_point and not dtype.is_complex:
        return torch.randint(1, 100, shape, generator=generator).to(dtype)
    return torch.randn(shape, generator=generator, dtype=dtype)


def plant(name: str, right: torch.Tensor, **setting: object) -> torch.Tensor:
    wrong = PLANTS[name](Setting(right, **setting))
    assert wrong is not None
    return wrong


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", PLANTS)
def test_plants_keep_shape_and_dtype_and_change_values(name: str, dtype: torch.dtype) -> None:
    right = make(dtype, 6, 50)
    before = right.clone()
    other, stale = make(dtype, 6, 50, seed=1), make(dtype, 6, 50, seed=2)
    wrong = PLANTS[name](Setting(right, [make(dtype, 50), other], stale))
    assert torch.equal(right, before)
    if wrong is None:
        assert name == "lower precision"
        assert not dtype.is_floating_point
        assert not dtype.is_complex
        return
    assert wrong.shape == right.shape
    assert wrong.dtype == right.dtype
    assert not torch.equal(wrong, right)


def test_the_last_tile_and_nothing_else_is_missing() -> None:
    wrong = plant("last tile missing", torch.ones(5, 20))
    assert wrong.reshape(-1)[:-12].eq(1).all()
    assert wrong.reshape(-1)[-12:].eq(0).all()
    assert plant("last tile missing", torch.ones(3)).tolist() == [1, 1, 0]
    assert plant("last tile missing", torch.ones(10_000)).sum() == 10_000 - 16


def test_rows_are_shifted_by_one() -> None:
    right = torch.arange(12.0).reshape(2, 2, 3)
    assert plant("shifted row", right).reshape(4, 3)[:, 0].tolist() == [9, 0, 3, 6]
    assert plant("shifted row", torch.arange(3.0)).tolist() == [2, 0, 1]
    assert PLANTS["shifted row"](Setting(torch.ones(()))) is None


def test_float32_loses_what_bfloat16_has_not() -> None:
    right = make(torch.float32, 1000)
    assert torch.equal(plant("lower precision", right), right.bfloat16().float())


def test_lower_precision_keeps_special_values_and_signed_zeros() -> None:
    right = torch.tensor([torch.inf, -torch.inf, torch.nan, 0.0, 1e-40])
    wrong = plant("lower precision", right)
    assert wrong[:2].tolist() == [torch.inf, -torch.inf]
    assert wrong[2].isnan()
    assert wrong[3] == 0


def test_one_element_is_off_where_it_shows_most() -> None:
    right, slack = torch.tensor([5.0, 1.0, torch.inf]), torch.tensor([1.0, 3.0, torch.inf])
    assert plant("one element off", right).tolist() == [pytest.approx(5.05), 1.0, torch.inf]
    assert plant("one element off", right, slack=slack)[1] == pytest.approx(1.01)
    assert plant("one element off", torch.tensor([7, 8])).tolist() == [6, 8]
    assert plant("one element off", torch.ones(1).bfloat16())[0] == 1.03125


def test_what_the_case_lacks_is_not_planted() -> None:
    setting = Setting(torch.ones(2, 3), [torch.ones(3)])
    assert PLANTS["an input"](setting) is None
    assert PLANTS["stale output"](setting) is None
    cast = plant("an input", torch.ones(2), inputs=[torch.tensor([1 + 2j, 3 + 0j])])
    assert cast.tolist() == [1.0, 3.0]
