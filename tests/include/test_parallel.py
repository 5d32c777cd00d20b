"""parallel_for covers the range once, on several threads, and brings exceptions back."""

from __future__ import annotations

import ctypes

import pytest

from native_library import compile_library

pytestmark = pytest.mark.xdist_group("parallel")  # one library is compiled for all

SOURCE = """
#include <opwright/kernel.h>
#include <cstring>
#include <stdexcept>

extern "C" void count(int64_t begin, int64_t end, int64_t grain, int32_t* counts, int64_t* calls) {
  opwright::parallel_for(begin, end, grain, [&](int64_t from, int64_t to) {
    __atomic_fetch_add(calls, 1, __ATOMIC_RELAXED);
    for (int64_t i = from; i < to; ++i) __atomic_fetch_add(&counts[i], 1, __ATOMIC_RELAXED);
  });
}
extern "C" int thrown(int64_t end, int64_t grain) {
  try {
    opwright::parallel_for(0, end, grain, [](int64_t, int64_t) {
      throw std::runtime_error("from inside");
    });
  } catch (const std::runtime_error& error) {
    return std::strcmp(error.what(), "from inside") == 0 ? 1 : 2;
  }
  return 0;
}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory) -> ctypes.CDLL:
    return compile_library(tmp_path_factory.mktemp("parallel"), SOURCE, ("-O2",))


def count(library, begin: int, end: int, grain: int) -> tuple[list[int], int]:
    counts = (ctypes.c_int32 * 1000)()
    calls = ctypes.c_int64(0)
    numbers = [ctypes.c_int64(n) for n in (begin, end, grain)]
    library.count(*numbers, counts, ctypes.byref(calls))
    return list(counts), calls.value


@pytest.mark.parametrize("pieces", [1, 2, 7])
@pytest.mark.parametrize(
    "begin, end, grain", [(0, 1000, 1), (5, 998, 10), (3, 4, 1), (0, 1000, 999)]
)
def test_every_index_is_visited_once(library, pieces, begin, end, grain):
    ctypes.c_int64.in_dll(library, "pieces").value = pieces
    counts, _ = count(library, begin, end, grain)
    assert counts == [int(begin <= i < end) for i in range(1000)]


@pytest.mark.parametrize("begin, end", [(0, 0), (7, 7), (7, 3)])
def test_an_empty_range_calls_nothing(library, begin, end):
    assert count(library, begin, end, 1) == ([0] * 1000, 0)


def test_a_range_of_one_grain_stays_on_the_calling_thread(library):
    ctypes.c_int64.in_dll(library, "pieces").value = 4
    assert count(library, 0, 100, 100)[1] == 1
    assert count(library, 0, 100, 25)[1] == 4


@pytest.mark.parametrize("end, grain", [(10, 100), (1000, 1)])
def test_an_exception_reaches_the_caller(library, end, grain):
    ctypes.c_int64.in_dll(library, "pieces").value = 8
    assert library.thrown(ctypes.c_int64(end), ctypes.c_int64(grain)) == 1
