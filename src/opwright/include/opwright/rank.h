// The order of numbers with their indices: the largest first, NaN before all, and of equal ones
// that with the lower index. -0 and 0 are equal.
#pragma once

#include <stdint.h>

#include "dtype.h"
#include "target.h"

namespace opwright {

namespace detail {

// Bits of numbers that are no NaN, as unsigned integers in the numbers' order; and back.
OPWRIGHT_INLINE uint32_t ordered_bits(uint32_t bits) {
  return bits ^ (mask_if(bits >> 31 != 0) | 0x80000000u);
}
OPWRIGHT_INLINE uint32_t unordered_bits(uint32_t ordered) {
  return ordered ^ (mask_if(ordered >> 31 == 0) | 0x80000000u);
}

// What NaN has in their place.
constexpr uint32_t kOrderedNan = 0xfffeffffu;

// Of a type of 16 bits whose infinity has those bits.
OPWRIGHT_INLINE uint32_t rank_of_half(uint16_t half, uint16_t infinity, uint32_t index) {
  const uint32_t bits = static_cast<uint32_t>(half) << 16;
  const uint32_t magnitude = bits & 0x7fffffffu;
  const uint32_t ordered =
      magnitude > static_cast<uint32_t>(infinity) << 16 ? kOrderedNan : ordered_bits(bits);
  return (magnitude == 0 ? 0x80000000u : ordered & 0xffff0000u) | (~index & 0xffffu);
}

}  // namespace detail

// An integer that is larger for what comes earlier in that order, and neither 0 nor the largest.
OPWRIGHT_INLINE unsigned long long rank_of(float value, uint32_t index) {
  const uint32_t bits = detail::bit_cast<uint32_t>(value + 0.0f);  // -0 becomes 0
  const uint32_t ordered = value != value ? detail::kOrderedNan : detail::ordered_bits(bits);
  return static_cast<unsigned long long>(ordered) << 32 | ~index;
}
// Those of the 16-bit types have half the bits, and indices below 65,536.
OPWRIGHT_INLINE uint32_t rank_of(bfloat16 value, uint32_t index) {
  return detail::rank_of_half(value.bits, 0x7f80, index);
}
OPWRIGHT_INLINE uint32_t rank_of(float16 value, uint32_t index) {
  return detail::rank_of_half(value.bits, 0x7c00, index);
}
unsigned long long rank_of(double value, uint32_t index) = delete;  // has too many bits

template <typename T>
using rank_t = decltype(rank_of(T(), 0u));

// The index in a rank.
OPWRIGHT_INLINE uint32_t index_of(unsigned long long rank) { return ~static_cast<uint32_t>(rank); }
OPWRIGHT_INLINE uint32_t index_of(uint32_t rank) { return ~rank & 0xffffu; }

// The value in a rank of T, of which -0 has become 0, and NaN some NaN.
template <typename T>
OPWRIGHT_INLINE float value_of(rank_t<T> rank) {
  if constexpr (sizeof(T) == sizeof(float)) {
    return detail::bit_cast<float>(detail::unordered_bits(static_cast<uint32_t>(rank >> 32)));
  } else {
    T value;
    value.bits = static_cast<uint16_t>(detail::unordered_bits(rank) >> 16);
    return widen(value);
  }
}

}  // namespace opwright
