// The larger of two numbers.
#pragma once

#include "target.h"

namespace opwright {

// NaN if one of them is NaN.
OPWRIGHT_INLINE float larger(float a, float b) {
#if OPWRIGHT_CUDA_ARCH >= 800
  float result;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
#else
  return a > b || a != a ? a : b;
#endif
}
OPWRIGHT_INLINE double larger(double a, double b) { return a > b || a != a ? a : b; }

}  // namespace opwright
