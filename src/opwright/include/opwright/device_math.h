// The functions of math.h for device kernels, by the units that a chip has for exponentials and
// reciprocals. (math.h is written for a host's vector units: it has no such unit and no branch.)
//
// Called as silu<T>(x), they may be less exact where a result is to be rounded to a T of 16 bits:
// their relative error is below 2e-5 then, a tenth of what rounding to float16 takes. Slopes, which
// are 0 somewhere, may be wrong by 2e-6 there; without a T by 1e-6.
//
// Largest error of the float versions otherwise, in units in the last place of the result: what exp
// of the toolkit's library has, and 2 more; for gelu_erf 6. Tails of GELU and of its slope multiply
// the rounding of their exponential's argument by that argument, and cancel nowhere, as PyTorch's
// do.
#pragma once

#include <math.h>

#include <type_traits>

#include "device.h"
#include "dtype.h"

namespace opwright {

namespace detail {

// What the chips' units give instead of a subnormal number.
OPWRIGHT_DEVICE_INLINE float flushed(float x) {
  return ::fabsf(x) < 1.17549435e-38f ? 0.0f * x : x;
}

// 2^x and 1 / x for x > 0: within 2 units in the last place; what would be subnormal may be 0.
OPWRIGHT_DEVICE_INLINE float exp2_of(float x) {
#if OPWRIGHT_CUDA_ARCH
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#elif OPWRIGHT_AMD_DEVICE
  return __builtin_amdgcn_exp2f(x);
#else
  return flushed(::exp2f(x));
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
  return flushed(1.0f / x);
#endif
}
OPWRIGHT_DEVICE_INLINE double exp2_of(double x) { return ::exp2(x); }
OPWRIGHT_DEVICE_INLINE double reciprocal_of(double x) { return 1.0 / x; }

// 4 / (1 + e) for e >= 0. 1 / (1 + e) may be too small for the unit, this never is.
template <typename F>
OPWRIGHT_DEVICE_INLINE F four_over_one_and(F e) {
  return reciprocal_of(F(0.25) + F(0.25) * e);
}

// Whether results are rounded to 16 bits; void stands for a type that is not known.
template <typename T>
constexpr bool kIsHalf = std::is_same<T, float16>::value || std::is_same<T, bfloat16>::value;

// exp(-2 * u) with u = sqrt(2 / pi) * (x + 0.044715 * x^3), which is 2^t with t as here.
template <typename F>
OPWRIGHT_DEVICE_INLINE F exp_of_minus_two_u(F x) {
  return exp2_of(x * (F(-2.3022081981443249) + F(-0.10294323958002349) * (x * x)));
}

// The density of the normal distribution at x over 1/16 of that at 0 (x times it may be a normal
// number where it is not), and what lies beyond |x|. With z = |x| / sqrt(2) that is erfc(z) / 2,
// where erfc(z) = exp(-z * z) * P(t) and t = 1 / (1 + p * z): P was fitted to z < 12 for the least
// relative error, 2e-8, and of a rough one 5e-6.
template <bool Rough>
struct Normal {
  float density, beyond;

  OPWRIGHT_DEVICE_INLINE explicit Normal(float x) {
    density = exp2_of(x * x * -0.72134752f + 4.0f);
    const float t = reciprocal_of(1.0f + (Rough ? 0.31112698f : 0.26870058f) * fabsf(x));
    beyond = 0.03125f * density * t * polynomial(t);
  }
  // The distribution function at x.
  OPWRIGHT_DEVICE_INLINE float below(float x) const { return x < 0 ? beyond : 1.0f - beyond; }

 private:
  static OPWRIGHT_DEVICE_INLINE float polynomial(float t) {
    if constexpr (Rough) {
      return horner(
          t, {-0.14610280f, 0.35064481f, 0.040738764f, 0.26358286f, 0.24257025f, 0.24856097f});
    } else {
      return horner(t, {0.059047845f, -0.26269091f, 0.36474611f, -0.16252085f, 0.23079795f,
                        0.13830130f, 0.20400164f, 0.21390506f, 0.21441187f});
    }
  }
  template <int Count>
  static OPWRIGHT_DEVICE_INLINE float horner(float t, const float (&coefficients)[Count]) {
    float sum = coefficients[0];
#pragma unroll
    for (int i = 1; i < Count; ++i) sum = sum * t + coefficients[i];
    return sum;
  }
};

}  // namespace detail

// e^x
template <typename T = void, typename F>
OPWRIGHT_DEVICE_INLINE F exp(F x) {
  if constexpr (detail::kIsHalf<T>) return detail::exp2_of(x * F(1.4426950408889634));
  return ::exp(x);
}

// 1 / (1 + exp(-x))
template <typename T = void, typename F>
OPWRIGHT_DEVICE_INLINE F sigmoid(F x) {
  return F(0.25) * detail::four_over_one_and(exp<T>(-x));
}

// x * sigmoid(x), also known as swish
template <typename T = void, typename F>
OPWRIGHT_DEVICE_INLINE F silu(F x) {
  return F(0.25) * x * detail::four_over_one_and(exp<T>(-x));
}

// d silu(x) / dx
template <typename T = void, typename F>
OPWRIGHT_DEVICE_INLINE F silu_slope(F x) {
  const F s4 = detail::four_over_one_and(exp<T>(-x)), rest = F(1) - F(0.25) * s4;
  return s4 * (F(0.25) + F(0.25) * x * rest);
}

// The tanh form of GELU, as x * sigmoid(2 * u), which cancels nowhere.
template <typename F>
OPWRIGHT_DEVICE_INLINE F gelu_tanh(F x) {
  return F(0.25) * x * detail::four_over_one_and(detail::exp_of_minus_two_u(x));
}

// GELU proper: x times the normal distribution function at x
template <typename T = void>
OPWRIGHT_DEVICE_INLINE float gelu_erf(float x) {
  return x * detail::Normal<detail::kIsHalf<T>>(x).below(x);
}
template <typename T = void>
OPWRIGHT_DEVICE_INLINE double gelu_erf(double x) {
  return 0.5 * x * ::erfc(-0.7071067811865476 * x);
}

// d gelu_tanh(x) / dx: s + x * s * (1 - s) * d(2 * u)/dx with s = sigmoid(2 * u) = s4 / 4, where
// 1 - s is exp(-2 * u) * s, which has to be a number where the exponential is infinite and s is 0.
template <typename F>
OPWRIGHT_DEVICE_INLINE F gelu_tanh_slope(F x) {
  const F finite = sizeof(F) == 4 ? F(3.4e38) : F(1.7e308);
  const F e = detail::exp_of_minus_two_u(x), s4 = detail::four_over_one_and(e);
  const F rest = (e < finite ? e : finite) * s4;
  return s4 * (F(0.25) + x * rest * (F(0.09973557010035817) + F(0.013379028051112547) * (x * x)));
}

// d gelu_erf(x) / dx: the normal distribution at x, and x times its density
template <typename T = void>
OPWRIGHT_DEVICE_INLINE float gelu_erf_slope(float x) {
  const detail::Normal<detail::kIsHalf<T>> normal(x);
  return normal.below(x) + x * (0.02493389f * normal.density);
}
template <typename T = void>
OPWRIGHT_DEVICE_INLINE double gelu_erf_slope(double x) {
  return 0.5 * ::erfc(-0.7071067811865476 * x) + x * (0.3989422804014327 * ::exp(-0.5 * x * x));
}

}  // namespace opwright
