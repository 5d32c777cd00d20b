"""What the overlap header says of layouts, against sets of addresses."""

from __future__ import annotations

import ctypes
import itertools
import random

import pytest

from native_library import compile_library

pytestmark = pytest.mark.xdist_group("overlap")  # one library is compiled for all

SOURCE = """
#include <opwright/overlap.h>
using opwright::binding::Steps;
extern "C" bool nested(const int64_t* sizes, const int64_t* strides, int64_t dim) {
  return Steps(sizes, strides, dim).nested();
}
extern "C" bool hold(const int64_t* sizes, const int64_t* strides, int64_t dim, int64_t distance) {
  return Steps(sizes, strides, dim).hold(distance);
}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    folder = tmp_path_factory.mktemp("overlap")
    return compile_library(folder, SOURCE, ("-O2",), parallel_for=False)


def call(function, layout, *more: int) -> bool:
    sizes, strides = layout
    array = ctypes.c_int64 * len(sizes)
    function.restype = ctypes.c_bool
    numbers = [ctypes.c_int64(number) for number in more]
    return bool(function(array(*sizes), array(*strides), ctypes.c_int64(len(sizes)), *numbers))


def addresses(layout) -> list[int]:
    sizes, strides = layout
    indices = itertools.product(*(range(size) for size in sizes))
    return [sum(i * s for i, s in zip(index, strides, strict=True)) for index in indices]


def layouts(count: int) -> list[tuple[list[int], list[int]]]:
    source = random.Random(0)
    return [
        (
            [source.choice((1, 2, 3, 4)) for _ in range(dim)],
            [source.choice((0, 1, 2, 3, 4, 5, 8, 12, 16, 40)) for _ in range(dim)],
        )
        for dim in [source.randrange(4) for _ in range(count)]
    ]


def test_a_nested_layout_reaches_no_element_twice(library: ctypes.CDLL) -> None:
    kinds = set()
    for layout in layouts(600):
        reached = addresses(layout)
        nested = call(library.nested, layout)
        kinds.add((nested, len(set(reached)) == len(reached)))
        assert not nested or len(set(reached)) == len(reached), layout
    # some layouts without sharing are too odd to be told: those are refused, too
    assert {(True, True), (False, False)} <= kinds


@pytest.mark.parametrize(
    "layout", [([4, 8], [16, 1]), ([4, 8], [8, 1]), ([3, 4], [1, 3]), ([], []), ([1, 5], [0, 2])]
)
def test_usual_layouts_are_nested(library: ctypes.CDLL, layout) -> None:
    assert call(library.nested, layout)


def test_two_of_one_layout_meet_exactly_where_addresses_do(library: ctypes.CDLL) -> None:
    for layout in layouts(400):
        if not call(library.nested, layout):
            continue
        reached = set(addresses(layout))
        for distance in range(-20, 21):
            meets = any(address + distance in reached for address in reached)
            assert call(library.hold, layout, distance) == meets, (layout, distance)
