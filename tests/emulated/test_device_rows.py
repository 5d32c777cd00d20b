"""The device loops over rows: in registers and from memory, with waves of both sizes, and sums down columns."""

from __future__ import annotations

import pytest
import torch

from emulated.building import Emulated
from emulated.conftest import Load
from emulated.device_loops import drawn, function, guarded, untouched

pytestmark = pytest.mark.xdist_group("emulator")

DTYPES = (torch.float32, torch.float16)
# Several rows a block, one, few rows for many threads, and rows that are too long for registers: in whole
# runs, and not.
ALONG = [(0, 8), (3, 0), (1, 1), (9, 40), (520, 8), (70, 33), (3, 2048), (2, 4104), (3, 2049)]
ALONG += [(1, 8200), (1, 16400), (1, 16401), (1, 65544)]
# One share of the rows, several, and more than are added at once; more than one panel of columns.
DOWN = [(0, 5), (1, 8), (37, 40), (700, 24), (300, 33), (33, 1032), (40, 4101), (2, 8208)]


@pytest.fixture(scope="module", params=[32, 64])
def loops(load: Load, request: pytest.FixtureRequest) -> Emulated:
    return load("device_rows.cu", wave_size=request.param)


@pytest.mark.parametrize("sizes", ALONG)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_each_row_has_its_own_sum_and_largest(
    loops: Emulated, dtype: torch.dtype, sizes: tuple[int, int]
) -> None:
    for offset in (0, 1):
        x = drawn(*sizes, dtype=dtype, offset=offset, largest=1)
        y = drawn(sizes[1], dtype=dtype, offset=offset, largest=5)
        output, room = guarded(*sizes, dtype=dtype)
        largest, beside = guarded(sizes[0], dtype=dtype)
        function(loops, dtype, "along")(output, largest, x, y, *sizes)
        wide = x.double()
        assert torch.equal(output, (2 * wide + y + wide.sum(1, keepdim=True)).to(dtype))
        assert sizes[1] == 0 or torch.equal(largest, x.max(1).values if sizes[0] else largest)
        assert untouched(room, output)
        assert untouched(beside, largest)


@pytest.mark.parametrize("sizes", DOWN)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_rows_are_stored_and_columns_summed(
    loops: Emulated, dtype: torch.dtype, sizes: tuple[int, int]
) -> None:
    for offset in (0, 1):
        x = drawn(*sizes, dtype=dtype, offset=offset, largest=1)
        y = drawn(sizes[1], dtype=dtype, largest=5)
        output, room = guarded(*sizes, dtype=dtype)
        first, second = (guarded(sizes[1], dtype=dtype)[0] for _ in range(2))
        function(loops, dtype, "down")(output, first, second, x, y, *sizes)
        wide = x.double()
        assert torch.equal(output, (wide * y + wide.sum(1, keepdim=True)).to(dtype))
        assert torch.equal(first, wide.sum(0).to(dtype))
        assert torch.equal(second, (2 * wide.sum(0)).to(dtype))
        assert untouched(room, output)


def test_sums_do_not_depend_on_which_block_is_first(loops: Emulated) -> None:
    x, y = torch.randn(200, 40), torch.randn(40)
    found = []
    for order in ("forward", "reverse", "random:7"):
        assert loops.set("order", order) == 0
        output, first, second = torch.empty(200, 40), torch.empty(40), torch.empty(40)
        function(loops, x.dtype, "down")(output, first, second, x, y, 200, 40)
        found.append((output, first, second))
    loops.set("order", "forward")
    torch.testing.assert_close(found[0][1], x.sum(0), rtol=1e-4, atol=1e-4)
    assert all(torch.equal(a, b) for other in found for a, b in zip(other, found[0], strict=True))
