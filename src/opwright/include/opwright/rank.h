// The order of numbers with their indices: the largest first, NaN before all, and of equal ones
// that with the lower index.
#pragma once

#include <stdint.h>

#include "dtype.h"
#include "target.h"

namespace opwright {

// An integer that is larger for what comes earlier in that order, and never 0.
OPWRIGHT_INLINE unsigned long long rank_of(float value, uint32_t index) {
  uint32_t bits = detail::bit_cast<uint32_t>(value + 0.0f);  // -0 becomes 0
  bits = value != value ? 0xffffffffu : bits & 0x80000000u ? ~bits : bits | 0x80000000u;
  return static_cast<unsigned long long>(bits) << 32 | ~index;
}

// The index in a rank.
OPWRIGHT_INLINE uint32_t index_of(unsigned long long rank) { return ~static_cast<uint32_t>(rank); }

}  // namespace opwright
