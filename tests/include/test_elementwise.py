"""The element-wise loops: all sizes, in place, and on rows."""

from __future__ import annotations

import ctypes

import pytest
import torch

from native_library import EACH_FLAG_SET, FLAG_SETS, compile_library

ELEMENT_TYPES = {
    torch.float32: "float",
    torch.float64: "double",
    torch.bfloat16: "opwright::bfloat16",
    torch.float16: "opwright::float16",
}
SOURCE = """
#include <opwright/kernel.h>
#define EXPORT(name, T) \\
  extern "C" void name##_range(T* output, int64_t count, const T* a, const T* b) { \\
    opwright::map_range(output, count, [](auto x, auto y) { return x * 2 + y; }, a, b); \\
  } \\
  extern "C" void name##_rows(T* output, const T* input, const T* row, int64_t rows, \\
                              int64_t columns, int64_t stride) { \\
    opwright::map_rows(opwright::View<T, 2>{output, {rows, columns}, {columns, 1}}, \\
                       [](auto x, auto y) { return x * 2 + y; }, \\
                       opwright::View<const T, 2>{input, {rows, columns}, {stride, 1}}, \\
                       opwright::View<const T, 1>{row, {columns}, {1}}); \\
  }
"""
GUARD = 40


@pytest.fixture(scope="module", params=EACH_FLAG_SET)
def loops(request, tmp_path_factory) -> ctypes.CDLL:
    exports = "".join(f"EXPORT({str(d)[6:]}, {name})\n" for d, name in ELEMENT_TYPES.items())
    flags = FLAG_SETS[request.param]
    return compile_library(tmp_path_factory.mktemp("loops"), SOURCE + exports, flags)


def pointer(tensor: torch.Tensor) -> ctypes.c_void_p:
    return ctypes.c_void_p(tensor.data_ptr())


def small_integers(*sizes: int, dtype: torch.dtype) -> torch.Tensor:
    """Every result from these is exact, so that only a misplaced element can make a difference."""
    return torch.randint(-40, 40, sizes).to(dtype)


@pytest.mark.parametrize("dtype", ELEMENT_TYPES, ids=str)
def test_range_writes_its_elements_and_no_others(loops, dtype):
    function = getattr(loops, f"{str(dtype)[6:]}_range")
    for count in [*range(70), 511, 512, 513, 1040, 3001]:
        for offset in (0, 1, 5):  # misaligned for vectors, aligned for elements
            a, b = (small_integers(count + offset, dtype=dtype)[offset:] for _ in range(2))
            room = torch.full((count + offset + GUARD,), 99.0, dtype=dtype)
            output = room[offset : offset + count]
            function(pointer(output), ctypes.c_int64(count), pointer(a), pointer(b))
            assert torch.equal(output, 2 * a + b)
            assert (room[:offset] == 99).all()
            assert (room[offset + count :] == 99).all()


@pytest.mark.parametrize("dtype", ELEMENT_TYPES, ids=str)
def test_output_may_be_an_input(loops, dtype):
    function = getattr(loops, f"{str(dtype)[6:]}_range")
    for count in (3, 1003):
        a, b = (small_integers(count, dtype=dtype) for _ in range(2))
        expected = 2 * a + b
        function(pointer(b), ctypes.c_int64(count), pointer(a), pointer(b))
        assert torch.equal(b, expected)


@pytest.mark.parametrize("pieces", [1, 2, 5])
@pytest.mark.parametrize("rows, columns", [(0, 3), (3, 0), (1, 200_003), (200_003, 1), (997, 131)])
@pytest.mark.parametrize("dtype", ELEMENT_TYPES, ids=str)
def test_rows_meet_the_right_columns_however_threads_share_them(
    loops, dtype, rows, columns, pieces
):
    ctypes.c_int64.in_dll(loops, "pieces").value = pieces
    input = small_integers(rows, columns + 3, dtype=dtype)[:, 2 : columns + 2]  # noqa: A001
    row = small_integers(columns, dtype=dtype)
    output = torch.full((rows, columns), float("nan"), dtype=dtype)
    sizes = [ctypes.c_int64(n) for n in (rows, columns, columns + 3)]
    rows_function = getattr(loops, f"{str(dtype)[6:]}_rows")
    rows_function(pointer(output), pointer(input), pointer(row), *sizes)
    assert torch.equal(output, 2 * input + row)
