// The functions of math.h for device kernels, by the units that a chip has for exponentials and
// reciprocals. (math.h is written for a host's vector units: it has no such unit and no branch.)
//
// Largest error of the float versions, in units in the last place of the result: what exp, erf and
// erfc of the toolkit's library have, and 2 more. gelu_tanh and its slope multiply the rounding of
// their exponential's argument by that argument, and gelu_erf cancels below 0, as PyTorch's does.
#pragma once

#include <math.h>

#include "device.h"

namespace opwright {

namespace detail {

// 2^x and 1 / x for x >= 1: within 2 units in the last place; what would be subnormal may be 0.
OPWRIGHT_DEVICE_INLINE float exp2_of(float x) {
#if OPWRIGHT_CUDA_ARCH
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#elif OPWRIGHT_AMD_DEVICE
  return __builtin_amdgcn_exp2f(x);
#else
  return ::exp2f(x);
#endif
}
OPWRIGHT_DEVICE_INLINE float reciprocal_of(float x) {
#if OPWRIGHT_CUDA_ARCH
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#elif OPWRIGHT_AMD_DEVICE
  return __builtin_amdgcn_rcpf(x);
#else
  return 1.0f / x;
#endif
}
OPWRIGHT_DEVICE_INLINE double exp2_of(double x) { return ::exp2(x); }
OPWRIGHT_DEVICE_INLINE double reciprocal_of(double x) { return 1.0 / x; }

OPWRIGHT_DEVICE_INLINE float erf_of(float x) { return ::erff(x); }
OPWRIGHT_DEVICE_INLINE double erf_of(double x) { return ::erf(x); }
OPWRIGHT_DEVICE_INLINE float erfc_of(float x) { return ::erfcf(x); }
OPWRIGHT_DEVICE_INLINE double erfc_of(double x) { return ::erfc(x); }

// exp(-2 * u) with u = sqrt(2 / pi) * (x + 0.044715 * x^3), which is 2^t with t as here.
template <typename F>
OPWRIGHT_DEVICE_INLINE F exp_of_minus_two_u(F x) {
  return exp2_of(x * (F(-2.3022081981443249) + F(-0.10294323958002349) * (x * x)));
}

}  // namespace detail

OPWRIGHT_DEVICE_INLINE float exp(float x) { return ::expf(x); }
OPWRIGHT_DEVICE_INLINE double exp(double x) { return ::exp(x); }

// 1 / (1 + exp(-x))
template <typename F>
OPWRIGHT_DEVICE_INLINE F sigmoid(F x) {
  return detail::reciprocal_of(F(1) + exp(-x));
}

// x * sigmoid(x), also known as swish
template <typename F>
OPWRIGHT_DEVICE_INLINE F silu(F x) {
  return x * sigmoid(x);
}

// d silu(x) / dx
template <typename F>
OPWRIGHT_DEVICE_INLINE F silu_slope(F x) {
  const F s = sigmoid(x);
  return s * (F(1) + x * (F(1) - s));
}

// The tanh form of GELU, as x * sigmoid(2 * u), which cancels nowhere.
template <typename F>
OPWRIGHT_DEVICE_INLINE F gelu_tanh(F x) {
  return x * detail::reciprocal_of(F(1) + detail::exp_of_minus_two_u(x));
}

// GELU proper: x times the normal distribution function at x
template <typename F>
OPWRIGHT_DEVICE_INLINE F gelu_erf(F x) {
  return F(0.5) * x * (F(1) + detail::erf_of(x * F(0.7071067811865476)));
}

// d gelu_tanh(x) / dx: s + x * s * (1 - s) * d(2 * u)/dx with s = sigmoid(2 * u), where 1 - s is
// exp(-2 * u) * s, which has to be a number where the exponential is infinite and s is 0.
template <typename F>
OPWRIGHT_DEVICE_INLINE F gelu_tanh_slope(F x) {
  const F finite = sizeof(F) == 4 ? F(1e38) : F(1e308);
  const F e = detail::exp_of_minus_two_u(x), s = detail::reciprocal_of(F(1) + e);
  const F rest = (e < finite ? e : finite) * s;
  return s + x * s * rest * (F(1.5957691216057308) + F(0.21406444881780075) * (x * x));
}

// d gelu_erf(x) / dx: the normal distribution at x, and x times its density
template <typename F>
OPWRIGHT_DEVICE_INLINE F gelu_erf_slope(F x) {
  const F density = F(0.3989422804014327) * exp(F(-0.5) * x * x);
  return F(0.5) * detail::erfc_of(F(-0.7071067811865476) * x) + x * density;
}

}  // namespace opwright
