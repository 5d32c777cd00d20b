"""The device loop with sums down columns: every element once, sums in one order, no memory of its own."""

from __future__ import annotations

import pytest
import torch

from emulated.building import Emulated
from emulated.conftest import Load
from emulated.device_loops import drawn, function, guarded, untouched

pytestmark = pytest.mark.xdist_group("emulator")

# One block for all rows, several, and more than are added at once; columns for whole runs, and not.
SIZES = [(0, 5), (1, 8), (127, 24), (128, 24), (131, 7), (2600, 40), (331, 257), (140, 600)]


@pytest.fixture(scope="module")
def loops(load: Load) -> Emulated:
    return load("device_columns.cu")


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16], ids=str)
def test_every_element_is_computed_and_every_column_summed(
    loops: Emulated, dtype: torch.dtype, sizes: tuple[int, int]
) -> None:
    for offset in (0, 1):
        a = drawn(*sizes, dtype=dtype, offset=offset, largest=3)
        b, c = drawn(*sizes, dtype=dtype, largest=2), drawn(sizes[1], dtype=dtype, largest=2)
        output, room = guarded(*sizes, dtype=dtype)
        sums, beside = guarded(sizes[1], dtype=dtype)
        function(loops, dtype, "sums")(output, sums, a, b, c, *sizes)
        expected = a * b + c
        assert torch.equal(output, expected)
        assert torch.equal(sums, expected.double().sum(0).to(dtype))
        assert untouched(room, output)
        assert untouched(beside, sums)


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16], ids=str)
def test_columns_are_summed_without_an_output(
    loops: Emulated, dtype: torch.dtype, sizes: tuple[int, int]
) -> None:
    for offset in (0, 1):
        x = drawn(*sizes, dtype=dtype, offset=offset, largest=3)
        sums, beside = guarded(sizes[1], dtype=dtype)
        scratch, room = guarded(*sizes, dtype=dtype)
        function(loops, dtype, "sums_alone")(sums, x, scratch, *sizes)
        assert torch.equal(sums, x.double().sum(0).to(dtype))
        assert untouched(beside, sums)
        assert untouched(room, scratch)


@pytest.mark.parametrize("sizes", [(100, 8), (300, 24), (300, 9)])
def test_of_two_outputs_the_first_is_summed(loops: Emulated, sizes: tuple[int, int]) -> None:
    x = drawn(*sizes, dtype=torch.bfloat16)
    first, second = (guarded(*sizes, dtype=x.dtype)[0] for _ in range(2))
    sums, _ = guarded(sizes[1], dtype=x.dtype)
    function(loops, x.dtype, "two")(first, second, sums, x, *sizes)
    assert torch.equal(first, x)
    assert torch.equal(second, (torch.arange(x.numel()).view(sizes) % 128).to(x.dtype))
    assert torch.equal(sums, x.double().sum(0).to(x.dtype))


def test_sums_do_not_depend_on_which_block_is_first(loops: Emulated) -> None:
    a, b, c = torch.randn(700, 40), torch.randn(700, 40), torch.randn(40)
    found = []
    for order in ("forward", "reverse", "random:7"):
        assert loops.set("order", order) == 0
        output, sums = torch.empty(700, 40), torch.empty(40)
        function(loops, a.dtype, "sums")(output, sums, a, b, c, 700, 40)
        found.append((output, sums))
    loops.set("order", "forward")
    torch.testing.assert_close(found[0][1], (a * b + c).sum(0), rtol=1e-4, atol=1e-4)
    assert all(torch.equal(output, found[0][0]) for output, _ in found)
    assert all(torch.equal(sums, found[0][1]) for _, sums in found)
