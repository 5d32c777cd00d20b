"""The k largest of each row: by lanes, by sorting and by searching, with waves of both sizes."""

from __future__ import annotations

import pytest
import torch

from emulated.building import Emulated
from emulated.conftest import Load
from emulated.device_loops import drawn, function, guarded, untouched

pytestmark = pytest.mark.xdist_group("emulator")

DTYPES = (torch.float32, torch.bfloat16, torch.float16)
# Rows, columns and k. Rows that a lane has to itself, that lanes share, and that they go over in steps.
FEW = [
    (0, 8, 1),
    (1, 1, 1),
    (300, 2, 2),
    (9, 31, 8),
    (70, 64, 6),
    (5, 256, 8),
    (2, 513, 3),
    (1, 4096, 8),
]
# Rows of part of a wave, of some waves, and of the largest block; sorted as a whole, and in part.
SORTED = [(3, 9, 9), (130, 16, 12), (9, 40, 40), (5, 100, 17), (3, 1000, 9), (2, 1032, 600)]
SORTED += [(2, 2048, 1024), (1, 2047, 2047), (1, 2049, 33), (1, 4096, 2048), (1, 4001, 4001)]
SEARCHED = [(2, 4097, 1), (2, 4104, 12)]
SPECIAL = [float("nan"), float("inf"), float("-inf"), 0.0, -0.0, 1.0, 1e-7]


@pytest.fixture(scope="module", params=[32, 64])
def loops(load: Load, request: pytest.FixtureRequest) -> Emulated:
    return load("device_top_k.cu", wave_size=request.param)


def found(loops: Emulated, x: torch.Tensor, k: int) -> tuple[torch.Tensor, ...]:
    """Values, columns and sums, after a look at what lies beside them."""
    rows, columns = x.shape
    outputs = [guarded(rows, k, dtype=x.dtype), guarded(rows, k, dtype=torch.int32)]
    outputs.append(guarded(rows, dtype=torch.float32))
    function(loops, x.dtype, "top_k")(*(output for output, _ in outputs), x, rows, columns, k)
    assert all(untouched(room, output) for output, room in outputs)
    return tuple(output for output, _ in outputs)


@pytest.mark.parametrize(
    "sizes", [*FEW, *SORTED, *SEARCHED], ids=lambda sizes: "-".join(map(str, sizes))
)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_the_largest_are_found_in_order_and_all_are_summed(
    loops: Emulated, dtype: torch.dtype, sizes: tuple[int, int, int]
) -> None:
    *shape, k = sizes
    for offset in (0, 1):  # many are equal
        x = drawn(*shape, dtype=dtype, offset=offset)
        values, columns, sums = found(loops, x, k)
        expected = x.sort(dim=1, descending=True, stable=True)
        assert torch.equal(columns, expected.indices[:, :k].int())
        assert torch.equal(values, expected.values[:, :k])
        wide = x.double()
        largest = wide.amax(1, keepdim=True)
        assert torch.equal(sums.double(), (wide - largest).sum(1) + largest[:, 0])


@pytest.mark.parametrize("sizes", [(64, 24, 5), (64, 24, 24), (1, 4100, 9)], ids=str)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_special_values_have_their_places(
    loops: Emulated, dtype: torch.dtype, sizes: tuple[int, int, int]
) -> None:
    *shape, k = sizes
    x = torch.tensor(SPECIAL, dtype=dtype)[torch.randint(len(SPECIAL), shape)]
    negative = x.view(torch.int32 if dtype == torch.float32 else torch.int16)
    negative[0, 0] = -1  # a NaN with all bits set
    values, columns, sums = found(loops, x, k)
    expected = x.sort(dim=1, descending=True, stable=True)
    assert torch.equal(columns, expected.indices[:, :k].int())
    assert torch.equal(values.nan_to_num(77.0), expected.values[:, :k].nan_to_num(77.0))
    assert sums[x.isnan().any(1)].isnan().all()


@pytest.mark.parametrize("order", ["forward", "reverse", "random:3"])
@pytest.mark.parametrize("sizes", [(16, 256, 8), (2, 2048, 1024), (1, 4096, 40)], ids=str)
def test_memory_is_read_once_and_no_wave_overtakes_another(
    load: Load, sizes: tuple[int, int, int], order: str
) -> None:
    watched = load("device_top_k.cu", watched=True)
    rows, columns, k = sizes
    x = drawn(rows, columns, dtype=torch.float32)
    found = (torch.empty(rows, k), torch.empty(rows, k, dtype=torch.int32), torch.empty(rows))
    watched.library.opwright_emulated_reset()
    for tensor, name in zip((x, *found), (b"x", b"values", b"columns", b"sums"), strict=True):
        size = tensor.numel() * tensor.element_size()
        watched.library.opwright_emulated_region(tensor.data_ptr(), size, name)
    assert watched.set("order", order) == 0
    function(watched, x.dtype, "top_k")(*found, x, rows, columns, k)
    watched.library.opwright_emulated_finish()
    assert [finding for finding in watched.findings() if not finding.is_note] == []
    (kernel,) = watched.kernels().values()
    traffic = kernel["traffic"]
    assert isinstance(traffic, dict)
    assert traffic["x"]["read_bytes"] == x.numel() * x.element_size()
    watched.set("order", "forward")
    watched.library.opwright_emulated_reset()
