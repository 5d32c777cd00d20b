"""The device loops over elements and rows: every count and alignment, no element beside the tensors."""

from __future__ import annotations

import pytest
import torch

from emulated.building import Emulated
from emulated.conftest import Load
from emulated.device_loops import drawn, function, guarded, untouched

pytestmark = pytest.mark.xdist_group("emulator")

DTYPES = (torch.float32, torch.float64, torch.bfloat16, torch.float16)
RUNS = (torch.float32, torch.bfloat16)  # of 4 and of 8 elements
COUNTS = (0, 1, 3, 7, 8, 15, 24, 31, 33, 40, 1023, 2048, 5003)
OFFSETS = ((0, 0, 0), (1, 1, 1), (5, 5, 5), (0, 1, 0), (3, 0, 3), (0, 2, 7), (6, 3, 4))


@pytest.fixture(scope="module")
def loops(load: Load) -> Emulated:
    return load("device_map.cu")


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_map_writes_its_elements_and_no_others(loops: Emulated, dtype: torch.dtype) -> None:
    for count in COUNTS:
        for to, of_a, of_b in OFFSETS:
            a, b = drawn(count, dtype=dtype, offset=of_a), drawn(count, dtype=dtype, offset=of_b)
            output, room = guarded(count, dtype=dtype, offset=to)
            function(loops, dtype, "map")(output, a, b, count)
            assert torch.equal(output, 2 * a + b), (count, to, of_a, of_b)
            assert untouched(room, output)


@pytest.mark.parametrize("dtype", RUNS, ids=str)
def test_two_outputs_and_places_are_of_the_same_elements(
    loops: Emulated, dtype: torch.dtype
) -> None:
    for count in (5, 3001):
        for to, of_a, of_b in OFFSETS:
            a, b = drawn(count, dtype=dtype, offset=of_a), drawn(count, dtype=dtype, offset=of_b)
            first, second = (guarded(count, dtype=dtype, offset=to)[0] for _ in range(2))
            function(loops, dtype, "map_places")(first, second, a, b, count)
            assert torch.equal(first, 2 * a + b)
            assert torch.equal(second, (torch.arange(count) % 128).to(dtype))


def test_an_output_may_be_an_input(loops: Emulated) -> None:
    a, b = drawn(5003, dtype=torch.float32), drawn(5003, dtype=torch.float32)
    expected = 2 * a + b
    function(loops, a.dtype, "map")(b, a, b, b.numel())
    assert torch.equal(b, expected)


@pytest.mark.parametrize(
    "sizes", [(0, 3), (3, 0), (1, 5003), (5003, 1), (70, 24), (9, 257), (33, 1032), (517, 8)]
)
@pytest.mark.parametrize("dtype", RUNS, ids=str)
def test_rows_meet_the_right_columns(
    loops: Emulated, dtype: torch.dtype, sizes: tuple[int, int]
) -> None:
    for offset in (0, 1):
        matrix, row = drawn(*sizes, dtype=dtype, offset=offset), drawn(sizes[1], dtype=dtype)
        output, room = guarded(*sizes, dtype=dtype)
        function(loops, dtype, "map_rows")(output, matrix, row, *sizes)
        assert torch.equal(output, 2 * matrix + row)
        assert untouched(room, output)


@pytest.mark.parametrize("sizes", [(70, 24), (9, 257), (5, 19)])
def test_places_are_counted_through_the_rows(loops: Emulated, sizes: tuple[int, int]) -> None:
    for offset, of_row in ((0, 0), (1, 0), (6, 3)):
        matrix = drawn(*sizes, dtype=torch.bfloat16, offset=offset)
        row = drawn(sizes[1], dtype=torch.bfloat16, offset=of_row)
        first, second = (guarded(*sizes, dtype=matrix.dtype)[0] for _ in range(2))
        function(loops, matrix.dtype, "map_rows_places")(first, second, matrix, row, *sizes)
        assert torch.equal(first, 2 * matrix + row)
        places = torch.arange(matrix.numel()).view(sizes) % 128
        assert torch.equal(second, places.bfloat16())


@pytest.fixture(scope="module")
def watched(load: Load) -> Emulated:
    return load("device_map_watched.cu", watched=True)


def traffic_of(watched: Emulated, **tensors: torch.Tensor) -> dict[str, tuple[int, int]]:
    """Bytes that the one launch since the last question read and wrote of each; no access may be beside them."""
    watched.library.opwright_emulated_finish()
    assert [finding for finding in watched.findings() if not finding.is_note] == []
    (kernel,) = watched.kernels().values()
    traffic = kernel["traffic"]
    assert isinstance(traffic, dict)
    assert set(traffic) == set(tensors)
    watched.library.opwright_emulated_reset()
    return {name: (entry["read_bytes"], entry["written_bytes"]) for name, entry in traffic.items()}


def watch(watched: Emulated, **tensors: torch.Tensor) -> None:
    watched.library.opwright_emulated_reset()
    for name, tensor in tensors.items():
        size = tensor.numel() * tensor.element_size()
        watched.library.opwright_emulated_region(tensor.data_ptr(), size, name.encode())


def test_whole_runs_are_moved_at_once(watched: Emulated) -> None:
    """Watched: 16 bytes an access where tensors are aligned alike, and no access beside them."""
    a, b, output = (drawn(2048, dtype=torch.float16) for _ in range(3))
    watch(watched, a=a, b=b, output=output)
    function(watched, a.dtype, "map")(output, a, b, a.numel())
    moved = traffic_of(watched, a=a, b=b, output=output)
    assert moved == {"a": (4096, 0), "b": (4096, 0), "output": (0, 4096)}


@pytest.mark.parametrize("offset", [1, 4, 7])
def test_misaligned_inputs_are_read_by_two_loads_and_never_beside(
    watched: Emulated, offset: int
) -> None:
    a, b = drawn(2048, dtype=torch.float16, offset=offset), drawn(2048, dtype=torch.float16)
    output = torch.empty_like(b)
    watch(watched, a=a, b=b, output=output)
    function(watched, a.dtype, "map")(output, a, b, a.numel())
    moved = traffic_of(watched, a=a, b=b, output=output)
    assert (moved["b"], moved["output"]) == ((4096, 0), (0, 4096))
    assert 2 * 4096 - 128 <= moved["a"][0] <= 2 * 4096
