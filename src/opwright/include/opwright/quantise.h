// What quantising kernels share.
#pragma once

#include <stdint.h>

#include "target.h"

namespace opwright {

// The larger number; NaN if one of them is NaN.
OPWRIGHT_INLINE float larger(float a, float b) { return a > b || a != a ? a : b; }

// The nearest int8 of -127 to 127, halves to even; 0 for NaN.
OPWRIGHT_INLINE int8_t quantised(float value) {
  if (value != value) return 0;
  const float bounded = value > 127.0f ? 127.0f : value < -127.0f ? -127.0f : value;
  // Adding 1.5 * 2^23 leaves no room for a fraction: the addition rounds.
  return static_cast<int8_t>((bounded + 12582912.0f) - 12582912.0f);
}

}  // namespace opwright
