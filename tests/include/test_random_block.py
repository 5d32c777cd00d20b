"""Random bits that vector code draws: those of each place alone, from wherever a range begins."""

from __future__ import annotations

import ctypes

import pytest
import torch

from native_library import EACH_FLAG_SET, FLAG_SETS, compile_library

SOURCE = """
#include <opwright/kernel.h>
#include <opwright/random_block.h>
extern "C" void drawn(int64_t* bits, int64_t count, int64_t seed, int64_t first) {
  const opwright::RandomBits random{static_cast<uint64_t>(seed), first};
  opwright::map_range(bits, count, [](uint32_t word) { return int64_t(word); }, random);
}
extern "C" void one_by_one(int64_t* bits, int64_t count, int64_t seed, int64_t first) {
  for (int64_t i = 0; i < count; ++i) bits[i] = opwright::random_bits(seed, first + i);
}
"""


@pytest.fixture(scope="module", params=EACH_FLAG_SET)
def random(request, tmp_path_factory) -> ctypes.CDLL:
    folder = tmp_path_factory.mktemp("random")
    return compile_library(folder, SOURCE, FLAG_SETS[request.param])


def bits(random: ctypes.CDLL, name: str, count: int, seed: int, first: int) -> torch.Tensor:
    result = torch.full((count,), -1)
    sizes = [ctypes.c_int64(value) for value in (count, seed, first)]
    getattr(random, name)(ctypes.c_void_p(result.data_ptr()), *sizes)
    return result


@pytest.mark.parametrize("first", [0, 1, 2, 3, 4, 4095, 2**34 - 130])
@pytest.mark.parametrize("count", [1, 15, 16, 17, 35, 512, 1040, 3001])
def test_a_range_has_the_bits_of_its_places(random, count: int, first: int) -> None:
    for seed in (0, -(2**40) - 1):
        drawn = bits(random, "drawn", count, seed, first)
        assert torch.equal(drawn, bits(random, "one_by_one", count, seed, first))


def test_the_first_four_are_the_published_words(random) -> None:
    """The known answer of Random123 for a counter and a key of zeros."""
    words = [f"{word:08x}" for word in bits(random, "drawn", 4, 0, 0).tolist()]
    assert words == ["6627e8d5", "e169c58d", "bc57ac4c", "9b00dbd8"]
