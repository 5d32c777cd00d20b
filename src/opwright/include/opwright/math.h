// Activation functions of one number.
#pragma once

#include "target.h"

namespace opwright {

OPWRIGHT_INLINE double exp(double x) { return __builtin_exp(x); }
OPWRIGHT_INLINE float exp(float x) { return __builtin_expf(x); }
OPWRIGHT_INLINE double erfc(double x) { return __builtin_erfc(x); }
OPWRIGHT_INLINE float erfc(float x) { return __builtin_erfcf(x); }

// 1 / (1 + exp(-x))
template <typename F>
OPWRIGHT_INLINE F sigmoid(F x) {
  return F(1) / (F(1) + exp(-x));
}

// x * sigmoid(x), also known as swish
template <typename F>
OPWRIGHT_INLINE F silu(F x) {
  return x / (F(1) + exp(-x));
}

// The tanh form of GELU. 0.5 * (1 + tanh(u)) is sigmoid(2 u), which keeps its relative accuracy
// where tanh(u) is near -1.
template <typename F>
OPWRIGHT_INLINE F gelu_tanh(F x) {
  const F two_u = F(1.5957691216057308) * x * (F(1) + F(0.044715) * x * x);
  return x / (F(1) + exp(-two_u));
}

// x times the normal distribution function
template <typename F>
OPWRIGHT_INLINE F gelu_erf(F x) {
  return F(0.5) * x * erfc(F(-0.7071067811865476) * x);
}

}  // namespace opwright
