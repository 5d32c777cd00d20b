"""Sorting in the registers of a row's threads, on waves of both sizes."""

from __future__ import annotations

import pytest
import torch

from emulated.building import Emulated
from emulated.conftest import Load
from emulated.device_loops import function

pytestmark = pytest.mark.xdist_group("emulator")

DTYPES = (torch.int32, torch.int64)
# Rows and their threads: alone, in part of a wave, in one, and in several.
ROWS = [(32, 1), (16, 4), (2, 32), (2, 64), (2, 128), (1, 256)]


@pytest.fixture(scope="module", params=[32, 64])
def kernels(load: Load, request: pytest.FixtureRequest) -> Emulated:
    return load("device_sort.cu", wave_size=request.param)


def numbers(rows: int, columns: int, dtype: torch.dtype) -> torch.Tensor:
    """Some are equal, and of the larger type most differ in one half only."""
    drawn = torch.randint(0, 300, (rows, columns))
    if dtype == torch.int64:
        drawn = drawn % 17 << 32 | drawn // 17
    return drawn.to(dtype)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.51, 1.0])
@pytest.mark.parametrize("each", [4, 16])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_the_wanted_largest_come_first_and_nothing_is_lost(
    kernels: Emulated, dtype: torch.dtype, each: int, share: float
) -> None:
    for rows, threads in ROWS:
        before = numbers(rows, threads * each, dtype)
        wanted = max(1, int(share * threads * each))
        after = before.clone()
        function(kernels, dtype, f"sort_{each}")(after, rows, threads, wanted)
        expected = before.sort(1, descending=True).values
        assert torch.equal(after[:, :wanted], expected[:, :wanted]), (rows, threads)
        assert torch.equal(after.sort(1, descending=True).values, expected), (rows, threads)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_each_of_some_lanes_gets_the_largest_of_all(kernels: Emulated, dtype: torch.dtype) -> None:
    for rows, lanes in [(64, 1), (16, 4), (4, 32)]:
        before = numbers(rows, lanes * 4, dtype)
        after = before.clone().view(rows, lanes, 4)
        function(kernels, dtype, "lanes")(after, rows, lanes)
        expected = before.sort(1, descending=True).values[:, :4]
        assert torch.equal(after, expected[:, None].expand(rows, lanes, 4)), lanes
