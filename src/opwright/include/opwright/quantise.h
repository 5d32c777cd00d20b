// What quantising kernels share.
#pragma once

#include <math.h>
#include <stdint.h>

#include "larger.h"
#include "target.h"

namespace opwright {

// The nearest int8 of -127 to 127, halves to even; 0 for NaN.
OPWRIGHT_INLINE int8_t quantised(float value) {
#if OPWRIGHT_CUDA_ARCH >= 800
  int nearest;  // 0 for NaN
  asm("cvt.rni.s32.f32 %0, %1;" : "=r"(nearest) : "f"(larger(value, -127.0f)));
  return static_cast<int8_t>(nearest < 127 ? nearest : 127);
#else
  if (value != value) return 0;
  const float bounded = value > 127.0f ? 127.0f : value < -127.0f ? -127.0f : value;
  // Adding 1.5 * 2^23 leaves no room for a fraction: the addition rounds.
  return static_cast<int8_t>((bounded + 12582912.0f) - 12582912.0f);
#endif
}

// The nearest int8 of a value that has one, halves to even, by one addition: it leaves no room for
// a fraction, and the lowest byte is the number.
OPWRIGHT_INLINE int8_t quantised_within(float value) {
  const float rounded = value + 12582912.0f;  // 1.5 * 2^23
  uint32_t bits;
  __builtin_memcpy(&bits, &rounded, sizeof(bits));
  return static_cast<int8_t>(bits);
}

// Divides many numbers by one as exactly as a division does, in a third of the instructions: by its
// reciprocal and one correction (P. W. Markstein, IBM J. Res. Dev. 34 (1990), 111). NaN where a
// division gives none, too, if the divisor is 0 or infinite. A small divisor is scaled, and the
// numbers with it, so that nothing is subnormal on the way: they are at most some hundred times it.
class Divisor {
 public:
  OPWRIGHT_INLINE explicit Divisor(float divisor)
      : scale_(divisor < 1e-30f ? 18446744073709551616.0f : 1.0f),
        divisor_(divisor * scale_),
        reciprocal_(1.0f / divisor_) {}

  OPWRIGHT_INLINE float quotient(float number) const { return unscaled(number * scale_); }

  // Whether the divisor is none of those; quotients may be had without scaling then.
  OPWRIGHT_INLINE bool is_usual() const { return scale_ == 1.0f && divisor_ < INFINITY; }
  OPWRIGHT_INLINE float unscaled(float number) const {
    const float near = number * reciprocal_;
    return __builtin_fmaf(__builtin_fmaf(-near, divisor_, number), reciprocal_, near);
  }

 private:
  float scale_, divisor_, reciprocal_;
};

}  // namespace opwright
