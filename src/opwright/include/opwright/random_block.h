// Random bits as an input of `map_range`: vector code draws those of a block at once.
#pragma once

#include <stdint.h>

#include "elementwise.h"
#include "random.h"

namespace opwright {

// The random bits of the places from `first` on.
struct RandomBits {
  uint64_t seed;
  int64_t first;

  RandomBits operator+(int64_t count) const { return {seed, first + count}; }
};

namespace detail {

// Quads that are drawn at once.
constexpr int kQuads = 8;

template <>
struct InputBlock<RandomBits> {
  uint32_t bits[kBlock + 4 * kQuads];

  OPWRIGHT_INLINE InputBlock() {}
  OPWRIGHT_INLINE const uint32_t* read(RandomBits from, int count) {
    const Place first = from.first;
    const int quads =
        (first.in_quad + whole_vectors(count) + 4 * kQuads - 1) / (4 * kQuads) * kQuads;
    // Four statements, not a loop, for which compilers would draw the words of a quad four times.
    OPWRIGHT_INDEPENDENT
    for (int i = 0; i < quads; ++i) {
      const uint64_t quad = first.quad + i;
      bits[4 * i + 0] = random_bits(from.seed, {quad, 0});
      bits[4 * i + 1] = random_bits(from.seed, {quad, 1});
      bits[4 * i + 2] = random_bits(from.seed, {quad, 2});
      bits[4 * i + 3] = random_bits(from.seed, {quad, 3});
    }
    return bits + first.in_quad;
  }
};

}  // namespace detail

}  // namespace opwright
